import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { all, sql, type Tx } from '../../src/ledger/sql.js';
import { recoverPending } from '../../src/operations/recover.js';
import { openSignalbox, type Signalbox } from '../../src/index.js';
import { startServer, type RunningServer } from '../../src/surfaces/http/server.js';
import { MOUNTS } from '../../src/surfaces/mounts.js';
import { furnish, type Furnished } from './furnish.js';

/** A real server over a furnished desk, watched: what it logs as errors, and what is on record. */
export interface FuzzDesk {
  readonly dataDir: string;
  readonly box: Signalbox;
  readonly server: RunningServer;
  readonly furnished: Furnished;
  /** What the server logged as errors. */
  readonly errors: Record<string, unknown>[];
  /** Everything but history and the receipts of what was refused, as text to compare. */
  record(): Promise<string>;
  /** @throws Error when the record does not verify, the server does not work any more, or it logged an error */
  prove(): Promise<void>;
  close(): Promise<void>;
}

/** Requests come one after the other and none is to be turned away for its number. */
const UNBOUNDED = { perSecond: 1e9, burst: 1e9, concurrent: 1e6 };

export async function fuzzDesk(): Promise<FuzzDesk> {
  const dataDir = await mkdtemp(join(tmpdir(), 'signalbox-fuzz-'));
  // Without timers, whatever changes is the request's own doing.
  const box = await openSignalbox({ dataDir, host: '127.0.0.1', port: 0, recover: false, deliver: false });
  const errors: Record<string, unknown>[] = [];
  const server = await startServer(box, {
    log: { error: (message, fields) => errors.push({ message, ...fields }), info: () => undefined },
    allowance: UNBOUNDED,
    failures: UNBOUNDED,
    mounts: MOUNTS,
  });
  const furnished = await furnish(box);
  return {
    dataDir,
    box,
    server,
    furnished,
    errors,
    async record() {
      await settled(box);
      return JSON.stringify(await box.desk.store.read(onRecord));
    },
    async prove() {
      await settled(box);
      const report = await box.as('owner').verify();
      if (!report.clean) throw new Error(`does not verify: ${JSON.stringify(report.differences)}`);
      const response = await fetch(`${server.url}/v1/works?limit=1`, {
        headers: { authorization: `Bearer ${furnished.tokens.owner}` },
      });
      if (response.status !== 200) throw new Error(`the server answers ${response.status} afterwards`);
      if (errors.length > 0) throw new Error(`the server logged: ${JSON.stringify(errors[0])}`);
    },
    async close() {
      await server.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Answers that their senders did not wait for are applied first, so that they are not taken for what came later. */
async function settled(box: Signalbox): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    const pending = await box.desk.store.read(() =>
      all(sql`SELECT work_id FROM works WHERE pending_receipt IS NOT NULL AND apply_attempts < 8 LIMIT 1`),
    );
    if (pending.length === 0) return;
    await recoverPending(box.desk);
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
}

/** Columns of `works` that a recorded refusal moves, or that say who starts a thread. */
const WORKS = sql`
  SELECT work_id, title, status, round, input_version, input_sha256, artifact_sha256, findings, gate, approval,
    return_to, holder, lease_id, lease_state, lease_expires_at, external_id, asset_ref, priority, due_at
  FROM works ORDER BY tenant, work_id`;

function* onRecord(): Tx<unknown[]> {
  return [
    yield* all(WORKS),
    yield* all(sql`SELECT receipt_id FROM receipts WHERE outcome = 'accepted' ORDER BY receipt_id`),
    yield* all(sql`SELECT * FROM leases ORDER BY lease_id`),
    yield* all(sql`SELECT * FROM effects ORDER BY tenant, work_id, operation_id`),
    yield* all(sql`SELECT name, actor, roles, disabled_at FROM principals ORDER BY tenant, name`),
    yield* all(sql`SELECT token_id, revoked_at FROM tokens ORDER BY token_id`),
    yield* all(sql`
      SELECT (SELECT count(*) FROM artifacts) AS artifacts, (SELECT count(*) FROM partials) AS partials,
        (SELECT count(*) FROM handoffs) AS handoffs, (SELECT count(*) FROM input_versions) AS versions,
        (SELECT count(*) FROM idempotency_keys) AS keys, (SELECT count(*) FROM switches) AS switches,
        (SELECT count(*) FROM cases) AS cases, (SELECT count(*) FROM case_evidence) AS evidence,
        (SELECT count(*) FROM case_observations) AS observations, (SELECT count(*) FROM outbox) AS outbox,
        (SELECT count(*) FROM dead_letters) AS letters, (SELECT count(*) FROM sign_in_links) AS links`),
  ];
}
