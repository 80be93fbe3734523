import { GENESIS_HASH } from '../../src/ledger/record.js';
import type { WorkRow } from '../../src/ledger/rows.js';
import { faults } from '../../test/support/desk-box.js';
import type { RealDesk } from './real.js';
import { WORKS, type DeskModel, type ModelWork } from './state.js';

/** What the model says of a row, in the row's own words. */
function expected(work: ModelWork) {
  return {
    status: work.status,
    round: work.round,
    input_version: work.version,
    artifact_sha256: work.artifact,
    author_actor: work.author,
    holder: work.lease?.holder ?? null,
    lease_state: work.lease?.state ?? null,
    lease_expires_at: work.lease?.expiresAt_ms ?? null,
    gate: work.gate,
    approval: work.approval,
    return_to: work.returnTo,
    reassignments: work.handoffs,
    pending: work.pending !== null,
  };
}

function found(row: WorkRow): ReturnType<typeof expected> {
  const gate = row.gate === null ? null : (JSON.parse(row.gate) as { action: string; from: string });
  const approval =
    row.approval === null
      ? null
      : (JSON.parse(row.approval) as { action: string; artifactSha256: string | null });
  return {
    status: row.status,
    round: row.round,
    input_version: row.input_version,
    artifact_sha256: row.artifact_sha256,
    author_actor: row.author_actor,
    holder: row.holder,
    lease_state: row.lease_state,
    lease_expires_at: row.lease_expires_at,
    gate: gate && { action: gate.action, from: gate.from },
    approval: approval && { action: approval.action, artifact: approval.artifactSha256 },
    return_to: row.return_to,
    reassignments: row.reassignments,
    pending: row.pending_receipt !== null,
  };
}

/** @throws Error with every column in which the desk and the model differ */
export async function assertSame(model: DeskModel, real: RealDesk): Promise<void> {
  for (const name of WORKS) {
    const work = model.works[name];
    const row = await real.row(name);
    if (!work || !row) {
      if (work || row) throw new Error(`${name}: the ${row ? 'desk' : 'model'} alone knows it`);
      continue;
    }
    const should: Record<string, unknown> = expected(work);
    const is: Record<string, unknown> = found(row);
    const differing = Object.keys(should).filter(
      (column) => JSON.stringify(should[column]) !== JSON.stringify(is[column]),
    );
    if (differing.length > 0)
      throw new Error(
        differing
          .map((column) => {
            const [m, d] = [JSON.stringify(should[column]), JSON.stringify(is[column])];
            return `${name}.${column}: the model says ${m}, the desk ${d}`;
          })
          .join('\n'),
      );
  }
}

/** What must hold of the records when everything was done: replay gives the rows, receipts are as many as expected, `verify` is clean. */
export async function assertRecords(model: DeskModel, real: RealDesk): Promise<void> {
  for (const name of WORKS) {
    const work = model.works[name];
    const row = await real.row(name);
    if (!work || !row) continue;
    assertReplayed(row, await real.desk.owner.history(name));
    const receipts = await real.desk.owner.receipts(name);
    for (const [outcome, count] of Object.entries(work.receipts)) {
      const is = receipts.filter((receipt) => receipt.outcome === outcome).length;
      if (is !== count)
        throw new Error(`${name}: ${count} ${outcome} receipts were expected, ${is} are on record`);
    }
  }
  const damage = await faults(real.desk);
  if (damage.length > 0) throw new Error(`verify finds ${JSON.stringify(damage)}`);
}

interface Event {
  readonly seq: number;
  readonly changes: Record<string, unknown>;
  readonly hash: string;
  readonly prevHash: string;
}

/** Replays a history by hand: every event's columns over those before it. */
function assertReplayed(row: WorkRow, events: readonly Event[]): void {
  const columns: Record<string, unknown> = {};
  let hash = GENESIS_HASH;
  events.forEach((event, index) => {
    if (event.seq !== index + 1 || event.prevHash !== hash)
      throw new Error(`${row.work_id}: event ${event.seq} does not follow on the one before`);
    Object.assign(columns, event.changes);
    hash = event.hash;
  });
  const is = row as unknown as Record<string, unknown>;
  const differing = Object.entries(columns).filter(
    ([column, value]) => !column.startsWith('appl') && is[column] !== value,
  );
  if (hash !== row.history_hash || differing.length > 0)
    throw new Error(`${row.work_id}: replaying history gives another row: ${JSON.stringify(differing)}`);
}
