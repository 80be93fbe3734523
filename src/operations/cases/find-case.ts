import { Refusal } from '../../core/refusals.js';
import type { Caller } from '../../core/work.js';
import { authenticatedCaller, maySee, requireRole, type Authenticated } from '../../gates/authorization.js';
import { findCase, type CaseRow } from '../../ledger/case-rows.js';
import { findWork } from '../../ledger/reads.js';
import type { WorkRow } from '../../ledger/rows.js';
import { all, sql, type Tx } from '../../ledger/sql.js';

export interface FoundCase {
  readonly caller: Caller;
  readonly row: WorkRow;
  readonly kept: CaseRow;
}

/**
 * The case behind an ID, as its caller may see it: its workId, or the exceptionId its origin gave (then the newest
 * occurrence). One exceptionId may come from several systems or runs; then the query has to say which.
 * @throws Refusal NOT_FOUND, INVALID where the exceptionId alone fits several
 */
export function* caseNamed(
  who: Authenticated,
  id: string,
  { system, runId }: { readonly system?: string | undefined; readonly runId?: string | undefined } = {},
): Tx<FoundCase> {
  const caller = yield* authenticatedCaller(who);
  requireRole(caller, ['viewer', 'scout', 'worker', 'reviewer', 'operator'], 'reading');
  const byId = yield* findCase(caller.tenant, id);
  const kept = byId ?? (yield* newest(caller.tenant, id, system, runId));
  const row = kept ? yield* findWork(caller.tenant, kept.work_id) : undefined;
  if (!row || !kept || !maySee(caller, row)) throw new Refusal('NOT_FOUND', `no case ${id}`);
  return { caller, row, kept };
}

function* newest(
  tenant: string,
  exceptionId: string,
  system: string | undefined,
  runId: string | undefined,
): Tx<CaseRow | undefined> {
  const rows = yield* all<CaseRow>(sql`
    SELECT * FROM cases WHERE tenant = ${tenant} AND exception_id = ${exceptionId}
    ${system === undefined ? sql`` : sql`AND origin_system = ${system}`}
    ORDER BY occurred_at DESC, work_id DESC LIMIT 200`);
  const fitting = runId === undefined ? rows : rows.filter((row) => runOf(row) === runId);
  const origins = new Set(fitting.map((row) => `${row.origin_system}\n${runOf(row)}`));
  if (origins.size > 1)
    throw new Refusal('INVALID', `${exceptionId} is known from several origins; say which`, {
      errors: [{ path: '/system', message: 'and /runId are needed to tell the cases of this ID apart' }],
    });
  return fitting[0];
}

const runOf = (row: CaseRow): string => (JSON.parse(row.origin) as { runId: string }).runId;
