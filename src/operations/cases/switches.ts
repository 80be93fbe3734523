import { authenticatedCaller, requireRole, type Authenticated } from '../../gates/authorization.js';
import { earlierUse, keyedRequest, rememberKey } from '../../gates/idempotency.js';
import { actingName } from '../../gates/submission-guard.js';
import { keepInJournal } from '../../ledger/journal.js';
import { all, insert, run, sql } from '../../ledger/sql.js';
import type { CallOptions } from '../answer-wait.js';
import type { Desk } from '../desk.js';
import { parseRequest } from '../requests.js';
import { time } from '../views.js';
import { switchRequest } from './requests.js';
import { lastSwitch, type SwitchRow } from './room.js';

const view = (row: SwitchRow) => ({
  switch: row.switch,
  number: row.number,
  paused: row.paused === 1,
  reason: row.reason,
  by: row.by_principal,
  at: time(row.at),
});

/** Pauses or goes on with taking new work in, or with handing work out automatically. Every turn is kept, and history. */
export async function setSwitch(desk: Desk, who: Authenticated, body: unknown, options: CallOptions = {}) {
  const request = parseRequest(switchRequest, body);
  const { switch: name, paused, reason } = request;
  const keyed = keyedRequest(options.idempotencyKey, 'switch', null, request);
  return await desk.store.write(function* () {
    const caller = yield* authenticatedCaller(who);
    requireRole(caller, ['operator'], 'pausing');
    const earlier = yield* earlierUse(caller, keyed);
    if (earlier) {
      const [turn] = yield* all<SwitchRow>(sql`
        SELECT * FROM switches WHERE tenant = ${caller.tenant} AND switch = ${name} AND at = ${earlier.at} ORDER BY number`);
      if (turn) return view(turn);
    }
    const row = {
      switch: name,
      number: ((yield* lastSwitch(caller.tenant, name))?.number ?? 0) + 1,
      paused: Number(paused),
      reason,
      by_principal: actingName(caller),
      at: desk.now_ms(),
    };
    yield* rememberKey(caller, keyed, { work_id: null, receipt_id: null }, row.at);
    const journal_seq = yield* keepInJournal(caller.tenant, {
      type: 'switch.turned',
      by: row.by_principal,
      at_ms: row.at,
      data: { switch: name, number: row.number, paused, reason },
    });
    yield* run(insert('switches', { tenant: caller.tenant, ...row, journal_seq }));
    return view(row);
  });
}

/** How the switches stand, and every turn of them, newest first. */
export function switches(desk: Desk, who: Authenticated) {
  return desk.store.read(function* () {
    const caller = yield* authenticatedCaller(who);
    requireRole(caller, ['viewer', 'worker', 'reviewer', 'operator'], 'reading');
    const turns = yield* all<SwitchRow>(
      sql`SELECT * FROM switches WHERE tenant = ${caller.tenant} ORDER BY at DESC, number DESC LIMIT 200`,
    );
    const paused = (name: string): boolean => turns.find((turn) => turn.switch === name)?.paused === 1;
    return { intakePaused: paused('intake'), claimsPaused: paused('claims'), turns: turns.map(view) };
  });
}
