import { keptText } from '../../core/kept-text.js';
import { Refusal, invalid } from '../../core/refusals.js';
import { requireRole, type Authenticated } from '../../gates/authorization.js';
import { actingName } from '../../gates/submission-guard.js';
import { record } from '../../ledger/record.js';
import { run, sql } from '../../ledger/sql.js';
import { answerWait, type CallOptions } from '../answer-wait.js';
import type { Desk } from '../desk.js';
import { judged, type Judged } from '../judge.js';
import { parseRequest } from '../requests.js';
import { asDesk } from './desk-principal.js';
import { caseNamed } from './find-case.js';
import { insertEvidence } from './observe.js';
import { evidenceFrom } from './prepare-case.js';
import { provideInfoRequest, requestInfoRequest } from './requests.js';

/**
 * The holder needs more material: the case waits, with who is asked and until when; its clock stands still and it
 * stays its holder's.
 */
export async function requestInfo(
  desk: Desk,
  who: Authenticated,
  id: string,
  body: unknown,
  options: CallOptions = {},
): Promise<Judged> {
  const { interruptId, who: asked, what, until } = parseRequest(requestInfoRequest, body);
  const until_ms = Date.parse(until);
  if (until_ms <= desk.now_ms()) throw invalid('/until', 'must lie ahead');
  const { row } = await desk.store.read(() => caseNamed(who, id));
  return judged(
    await answerWait(desk, who, row.work_id, { action: 'block', interruptId, reason: what }, options, {
      *onAccept(current) {
        yield* run(sql`
          UPDATE cases SET asked_who = ${asked}, asked_what = ${what}, asked_at = ${desk.now_ms()}, asked_until = ${until_ms}
          WHERE tenant = ${current.tenant} AND work_id = ${current.work_id}`);
        return {};
      },
    }),
  );
}

/**
 * The material that was asked for. Whoever may work here or raise exceptions may bring it; the case then goes back
 * to its holder.
 */
export async function provideInfo(desk: Desk, who: Authenticated, id: string, body: unknown) {
  const { reason, evidence } = parseRequest(provideInfoRequest, body);
  const items = evidenceFrom(desk, evidence);
  const row = await desk.store.write(function* () {
    const found = yield* caseNamed(who, id);
    requireRole(found.caller, ['scout', 'worker', 'reviewer', 'operator'], 'bringing material');
    if (found.kept.asked_who === null)
      throw new Refusal('ACTION_NOT_ALLOWED', `nothing is asked about ${found.row.work_id}`);
    const now_ms = desk.now_ms();
    yield* insertEvidence(found.row, items, found.caller.principal, now_ms);
    return yield* record(found.row, {
      type: 'case.material',
      by: actingName(found.caller),
      at_ms: now_ms,
      data: { reason, evidence: items.map((item) => item.sha256) },
    });
  });
  return await stopWaiting(desk, row.tenant, row.work_id, `material brought by ${who.principal}: ${reason}`);
}

/** Gives a waiting case back to its holder. The desk does it, because whoever brings material need not hold the case. */
export async function stopWaiting(
  desk: Desk,
  tenant: string,
  workId: string,
  reason: string,
): Promise<Judged> {
  const self = await asDesk(desk, tenant);
  const { row } = await desk.store.read(() => caseNamed(self, workId));
  const interruptId = row.interrupt_id ?? undefined;
  return judged(
    await answerWait(
      desk,
      self,
      workId,
      { action: 'unblock', interruptId, reason: keptText(reason, 1_000) },
      {},
      {
        *onAccept(current) {
          yield* run(sql`
            UPDATE cases SET asked_who = NULL, asked_what = NULL, asked_at = NULL, asked_until = NULL
            WHERE tenant = ${current.tenant} AND work_id = ${current.work_id}`);
          return {};
        },
      },
    ),
  );
}
