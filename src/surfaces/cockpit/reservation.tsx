import { AnswerForm } from './answer-form.js';
import type { JudgedWork } from './judged-work.js';
import { Time } from './time.js';
import { hasRole, isOwner, type Visit } from './visit.js';

interface ReservationProps {
  readonly visit: Visit;
  readonly work: JudgedWork['work'];
  /** The page of the judgement; its forms go below it and come back to it. */
  readonly path: string;
}

/** Who has reserved a judgement; reserving it, and giving back what one has reserved. */
export function Reservation({ visit, work, path }: ReservationProps) {
  const { t, session, now_ms } = visit;
  const { lease } = work;
  const until = lease?.expiresAt ?? null;
  if (!lease || until === null || Date.parse(until) <= now_ms) {
    const mayReserve = work.status === 'OWNER_GATE' ? isOwner(session) : hasRole(session, 'reviewer');
    if (!mayReserve) return null;
    return (
      <details class="reservation">
        <summary>{t('reserve.offer')}</summary>
        <p class="hint">{t('reserve.hint')}</p>
        <AnswerForm visit={visit} name="claim" work={work} action={`${path}/claim`} label={t('reserve.do')} />
      </details>
    );
  }
  if (lease.holder !== session.who.principal) {
    return (
      <p class="reservation">
        {t('reserve.other', { who: lease.holder })} <Time at={until} />
      </p>
    );
  }
  return (
    <details class="reservation">
      <summary>
        {t('reserve.yours')} <Time at={until} />
      </summary>
      <AnswerForm
        visit={visit}
        name="release"
        work={work}
        action={`${path}/release`}
        label={t('reserve.give_back')}
      />
    </details>
  );
}
