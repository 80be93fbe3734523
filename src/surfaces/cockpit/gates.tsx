import { judgementScreens } from './judgement-screens.js';
import type { JudgedWork } from './judged-work.js';
import { sayOr, type Say } from './language.js';
import { Notice } from './layout.js';
import type { Screens } from './screens.js';
import { Time } from './time.js';
import { isOwner, type Visit } from './visit.js';

type Gate = NonNullable<JudgedWork['work']['gate']>;

/** The gates: what waits for an owner, and what approving it allows. */
export function gateScreens(screens: Screens): void {
  judgementScreens(screens, {
    section: 'gates',
    status: 'OWNER_GATE',
    answer: 'decide',
    asButtons: true,
    question: ({ t }, { work }) =>
      work.gate ? t('gate.question', { action: actionOf(t, work.gate) }) : work.title,
    lead: ({ t }, { work }) => (work.gate ? <p class="lead">{reasonOf(t, work.gate)}</p> : null),
    spent: ({ session }, { work }) => (hasApproved(session, work.approvals) ? ['approve'] : []),
    before: (visit, { work }) => (
      <>
        {work.gate ? <Allows t={visit.t} gate={work.gate} artifactSha256={work.artifactSha256} /> : null}
        {work.approvals ? <Approvals visit={visit} approvals={work.approvals} /> : null}
        {isOwner(visit.session) ? null : <Notice kind="warn">{visit.t('gate.owner_only')}</Notice>}
      </>
    ),
  });
}

const actionOf = (t: Say, gate: Gate): string => sayOr(t, `action.${gate.action}`, gate.action);

/** The desk's own reason in the reader's language; what a person wrote as it stands. */
function reasonOf(t: Say, gate: Gate): string {
  const own = gate.reason === `${gate.action} is an owner's decision`;
  return own ? t('gate.why_owner_only', { action: actionOf(t, gate) }) : gate.reason;
}

function Allows({ t, gate, artifactSha256 }: { t: Say; gate: Gate; artifactSha256: string | null }) {
  return (
    <dl class="allows">
      <dt>{t('gate.allows')}</dt>
      <dd>
        {t('gate.allows_text', { action: actionOf(t, gate), status: t(`status.${gate.from}`) })}{' '}
        {artifactSha256
          ? t('gate.allows_hash', { hash: artifactSha256.slice(0, 12) })
          : t('gate.allows_no_artifact')}
      </dd>
      <dt>{t('gate.not_allows')}</dt>
      <dd>{t('gate.not_allows_text')}</dd>
    </dl>
  );
}

/** One person under several names is one. */
function hasApproved({ who, actor }: Visit['session'], approvals: JudgedWork['work']['approvals']): boolean {
  if (!approvals || approvals.needed < 2) return false;
  return [...approvals.given, ...approvals.fallen].some(
    (each) => each.by === who.principal || each.actor === actor,
  );
}

interface ApprovalsProps {
  readonly visit: Visit;
  readonly approvals: NonNullable<JudgedWork['work']['approvals']>;
}

/** Where a gate asks for several: how many are there, whose they are, and how many are still missing. */
function Approvals({ visit, approvals }: ApprovalsProps) {
  const { t, session } = visit;
  const { needed, given, fallen } = approvals;
  if (needed < 2) return null;
  return (
    <div class="approvals">
      <p>
        <strong>{t('gate.approvals', { given: given.length, needed })}</strong>{' '}
        {t('gate.approvals_missing', { n: Math.max(needed - given.length, 0) })}
      </p>
      {given.length === 0 ? null : (
        <ul class="plain">
          {given.map(({ by, at, reason }) => (
            <li>
              <strong>{by}</strong> · <Time at={at} />
              {typeof reason === 'string' ? (
                <>
                  {' · '}
                  <bdi>{reason}</bdi>
                </>
              ) : null}
            </li>
          ))}
        </ul>
      )}
      {fallen.length === 0 ? null : (
        <p class="muted">{t('gate.fallen', { who: fallen.map(({ by }) => by).join(', ') })}</p>
      )}
      {hasApproved(session, approvals) ? <Notice kind="info">{t('gate.approved_already')}</Notice> : null}
    </div>
  );
}
