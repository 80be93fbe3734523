import type { Signalbox } from '../../src/index.js';
import { all, fixed, type Tx } from '../../src/ledger/sql.js';
import type { HistoryRow, ReceiptRow } from '../../src/ledger/rows.js';
import { Approvals } from './approvals.js';
import { TRESPASS } from './caller.js';
import type { Acknowledged, Entry } from './journal.js';

/** One thing that must hold, how much was looked at, and what was found against it. */
export interface Finding {
  readonly name: string;
  readonly looked: number;
  readonly against: readonly string[];
}

/** How many contradictions of one sort a report spells out. */
const SPELLED_OUT = 20;
/** Rows read at a time. */
const PAGE = 5_000;

/** Holds what clients were told against what the ledger says afterwards (I4), then the ledger's own invariants. */
export async function findings(box: Signalbox, entries: readonly Entry[]): Promise<Finding[]> {
  const told = entries.filter((entry) => entry.kind === 'acknowledged');
  const receipts = await everyRow<ReceiptRow>(box, 'receipts', 'receipt_id');
  const works = new Set(
    (await everyRow<{ work_id: string }>(box, 'works', 'work_id')).map((row) => row.work_id),
  );
  return [
    registrations(told, works),
    answers(told, receipts),
    oneAnswerAKey(told),
    await artifacts(box, told),
    goAheads(told),
    await strangers(box, entries),
    troubles(entries),
    ...(await heldAgainstHistory(box, receipts)),
    await nothingInTheTable(box, 'I3: one accepted receipt a wait', 'receipts', TWICE_ACCEPTED),
    await nothingInTheTable(box, 'I1: one live work an identity', 'works', TWICE_LIVE),
    await nothingInTheTable(box, 'I2: one open reservation a work', 'leases', TWICE_HELD),
    await nothingInTheTable(box, 'I13: no forked thread', 'checkpoints', FORKED),
    await nothingInTheTable(box, 'I4: nothing decided and not applied', 'works', NOT_APPLIED),
    await wholeLists(box, works.size),
  ];
}

const finding = (name: string, looked: number, against: readonly string[]): Finding => ({
  name,
  looked,
  against:
    against.length > SPELLED_OUT ? [...against.slice(0, SPELLED_OUT), `… ${against.length} in all`] : against,
});

/** What is there more than once. */
function twice(values: readonly string[]): string[] {
  const seen = new Set<string>();
  return values.filter((value) => seen.size === seen.add(value).size);
}

function registrations(told: readonly Acknowledged[], works: ReadonlySet<string>): Finding {
  const registered = told.filter((entry) => entry.outcome !== undefined);
  const created = registered
    .filter((entry) => entry.outcome === 'created')
    .map((entry) => entry.workId ?? '');
  return finding('I4: every acknowledged registration is there, created once', registered.length, [
    ...registered
      .filter((entry) => !works.has(entry.workId ?? ''))
      .map((entry) => `lost: ${entry.workId ?? ''}`),
    ...twice(created).map((workId) => `created twice: ${workId}`),
  ]);
}

function answers(told: readonly Acknowledged[], receipts: readonly ReceiptRow[]): Finding {
  const kept = new Map(receipts.map((receipt) => [receipt.receipt_id, receipt]));
  const answered = told.filter((entry) => entry.receiptId !== undefined);
  return finding(
    'I4: every acknowledged answer has its receipt, accepted and applied',
    answered.length,
    answered.flatMap((entry) => {
      const receipt = kept.get(entry.receiptId ?? '');
      if (!receipt) return [`lost: ${entry.verb} ${entry.receiptId ?? ''} of ${entry.workId ?? ''}`];
      const right =
        receipt.outcome === 'accepted' && receipt.applied_at !== null && receipt.work_id === entry.workId;
      return right
        ? []
        : [`${entry.verb} ${receipt.receipt_id}: ${receipt.outcome}, applied ${receipt.applied_at}`];
    }),
  );
}

function oneAnswerAKey(told: readonly Acknowledged[]): Finding {
  const keys = new Map<string, string | null>();
  const against: string[] = [];
  for (const { receiptId, key } of told) {
    if (receiptId === undefined) continue;
    if (keys.has(receiptId) && keys.get(receiptId) !== key)
      against.push(`${receiptId} was given to two requests`);
    keys.set(receiptId, key);
  }
  return finding('I4: no two requests were given the same receipt', keys.size, against);
}

async function artifacts(box: Signalbox, told: readonly Acknowledged[]): Promise<Finding> {
  const hashes = [...new Set(told.flatMap((entry) => entry.sha256 ?? []))];
  const against: string[] = [];
  const owner = box.as('owner');
  for (const sha256 of hashes) {
    // Reading hashes the bytes again.
    await owner.getArtifact(sha256).catch((error: unknown) => against.push(`${sha256}: ${String(error)}`));
  }
  return finding('I4: every acknowledged artifact is there, byte for byte', hashes.length, against);
}

function goAheads(told: readonly Acknowledged[]): Finding {
  const given = told.flatMap((entry) => entry.goAhead ?? []);
  return finding('I11: one go-ahead an operation', given.length, twice(given));
}

/** Another tenant's owner asked for works by their IDs, and found none; nor did anything of it stay there. */
async function strangers(box: Signalbox, entries: readonly Entry[]): Promise<Finding> {
  const asked = entries.filter((entry) => entry.kind !== 'acknowledged' && entry.verb === TRESPASS);
  const strange = await rowsOf<{ what: string }>(
    box,
    `SELECT work_id AS what FROM works WHERE tenant <> 'default' UNION ALL SELECT work_id FROM receipts WHERE tenant <> 'default'
      UNION ALL SELECT work_id FROM history WHERE tenant <> 'default' AND work_id <> '?access' UNION ALL SELECT work_id FROM leases WHERE tenant <> 'default'`,
  );
  return finding('I14: nothing crosses tenants', asked.length, [
    ...asked.flatMap((entry) => (entry.kind === 'trouble' ? [entry.what] : [])),
    ...strange.map(({ what }) => `${what} in another tenant`),
  ]);
}

/** Refusals that no race explains. */
const SURPRISING = [
  'INVALID',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'NOT_FOUND',
  'IDEMPOTENCY_KEY_REUSED',
  'TOO_LARGE',
  'RATE_LIMITED',
];

function troubles(entries: readonly Entry[]): Finding {
  return finding(
    'no client was told nonsense: no server fault, no answer missing, no refusal that a race does not explain',
    entries.length,
    entries.flatMap((entry) => {
      if (entry.kind === 'trouble') return [`${entry.lane} ${entry.verb}: ${entry.what}`];
      if (entry.kind === 'refused' && entry.verb !== TRESPASS && SURPRISING.includes(entry.code))
        return [`${entry.lane} ${entry.verb}: ${entry.code} ${entry.detail}`];
      return [];
    }),
  );
}

/** The ledger's history, read once: every accepted answer moved its work once (I4), expiry moved nothing (I6), approvals fit once (I7), judges are not authors (I8, I9). */
async function heldAgainstHistory(box: Signalbox, receipts: readonly ReceiptRow[]): Promise<Finding[]> {
  const actors = new Map(receipts.map((receipt) => [receipt.receipt_id, receipt]));
  const moved = new Map<string, number>();
  const authors = new Map<string, string | null>();
  const against: string[] = [];
  const approvals = new Approvals(actors);
  let looked = 0;
  for await (const event of history(box)) {
    looked += 1;
    approvals.see(event);
    const data = JSON.parse(event.data) as { receiptId?: string; action?: string; applied?: boolean };
    const changes = JSON.parse(event.changes) as { status?: string; author_actor?: string | null };
    const receipt = data.receiptId === undefined ? undefined : actors.get(data.receiptId);
    // Mostly an answer is applied where it is accepted; one that had to wait for its apply moves its work later.
    if (event.type === 'work.moved' || data.applied === true) {
      const of = data.receiptId ?? '';
      moved.set(of, (moved.get(of) ?? 0) + 1);
    }
    if (event.type === 'lease.expired' && changes.status !== undefined)
      against.push(`I6: ${event.work_id} ${event.seq} moved by an expiry`);
    if (event.type === 'submission.accepted' && (data.action === 'review' || data.action === 'decide')) {
      if (receipt?.actor === authors.get(event.work_id)) against.push(`I9: ${event.work_id} ${event.seq}`);
      if (data.action === 'review' && !/"evidenceRef":"[^"]/.test(receipt?.body ?? ''))
        against.push(`I8: ${event.work_id} ${event.seq}: a verdict without evidence`);
      if (data.action === 'review' && receipt?.artifact_sha256 === null)
        against.push(`I8: ${event.work_id} ${event.seq}: a verdict on nothing`);
    }
    if (changes.author_actor !== undefined) authors.set(event.work_id, changes.author_actor);
  }
  for (const receipt of receipts) {
    if (receipt.outcome !== 'accepted' || receipt.moves === 0 || receipt.action === 'register') continue;
    const times = moved.get(receipt.receipt_id) ?? 0;
    if (times !== 1) against.push(`I4: ${receipt.action} ${receipt.receipt_id} was applied ${times} times`);
  }
  return [
    finding(
      'I4, I6, I8, I9: every answer moved its work once, expiry none, verdicts name artifact and evidence, nobody judged their own',
      looked,
      against,
    ),
    finding(
      'I7: an approval is of one decision on one artifact, and ends at the next gate',
      approvals.looked,
      approvals.against,
    ),
  ];
}

async function* history(box: Signalbox): AsyncGenerator<HistoryRow> {
  for (let after = 0; ;) {
    const page = await rowsOf<HistoryRow>(
      box,
      `SELECT * FROM history WHERE position > ${after} ORDER BY position LIMIT ${PAGE}`,
    );
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.position ?? 0;
  }
}

const TWICE_ACCEPTED = `SELECT work_id AS what FROM receipts WHERE outcome = 'accepted' AND moves = 1 AND interrupt_id IS NOT NULL
  GROUP BY tenant, work_id, interrupt_id HAVING count(*) > 1`;
const TWICE_LIVE = `SELECT max(work_id) AS what FROM works WHERE status NOT IN ('DONE', 'CANCELLED')
  GROUP BY tenant, kind, identity_sha256 HAVING count(*) > 1`;
const TWICE_HELD = `SELECT work_id AS what FROM leases WHERE closed_at IS NULL GROUP BY tenant, work_id HAVING count(*) > 1`;
const FORKED = `SELECT thread_id AS what FROM checkpoints GROUP BY thread_id, checkpoint_ns, parent_checkpoint_id HAVING count(*) > 1`;
const NOT_APPLIED = `SELECT work_id AS what FROM works WHERE pending_receipt IS NOT NULL`;

async function nothingInTheTable(
  box: Signalbox,
  name: string,
  table: string,
  query: string,
): Promise<Finding> {
  const [counted] = await rowsOf<{ n: number }>(box, `SELECT count(*) AS n FROM ${table}`);
  const against = await rowsOf<{ what: string }>(box, query);
  return finding(
    name,
    counted?.n ?? 0,
    against.map((row) => row.what),
  );
}

async function wholeLists(box: Signalbox, works: number): Promise<Finding> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  let total = 0;
  do {
    const page = await box.as('owner').list({ limit: 200, ...(cursor === undefined ? {} : { cursor }) });
    for (const item of page.items) seen.add(item.workId);
    total = page.total;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  const against =
    seen.size === works && total === works ? [] : [`${seen.size} listed, total ${total}, there are ${works}`];
  return finding('I12: lists are whole', works, against);
}

/** All rows of a table, a page at a time by its key. */
async function everyRow<R>(box: Signalbox, table: string, key: keyof R & string): Promise<R[]> {
  const rows: R[] = [];
  for (let after = ''; ;) {
    const page = await rowsOf<R>(
      box,
      `SELECT * FROM ${table} WHERE ${key} > '${after}' ORDER BY ${key} LIMIT ${PAGE}`,
    );
    rows.push(...page);
    if (page.length < PAGE) return rows;
    after = String(page.at(-1)?.[key]);
  }
}

function rowsOf<R>(box: Signalbox, query: string): Promise<R[]> {
  return box.desk.store.read(function* (): Tx<R[]> {
    return yield* all<R>(fixed(query));
  });
}
