import type { Approvals } from '../../operations/approval.js';
import type { WorkView } from '../../operations/views.js';
import { sayOr, type Say } from './language.js';
import { Lamp } from './layout.js';
import { isSilent, signalOf } from './signals.js';
import { Age, Due } from './time.js';
import type { Visit } from './visit.js';

export const workPath = (workId: string): string => `/works/${encodeURIComponent(workId)}`;

/** Where to answer a work from: the page made for its wait, or the work itself. */
export function answerPath(work: Pick<WorkView, 'workId' | 'status'>): string {
  if (work.status === 'OWNER_GATE') return `/gates/${encodeURIComponent(work.workId)}`;
  if (work.status === 'VP_REVIEW') return `/reviews/${encodeURIComponent(work.workId)}`;
  return workPath(work.workId);
}

interface StatusChipProps {
  readonly t: Say;
  readonly status: WorkView['status'];
  /** Late, silent or otherwise not as it should be. */
  readonly pressing?: boolean;
}

/** A status with its signal, in the reader's language; the desk's own name on hover. */
export function StatusChip({ t, status, pressing = false }: StatusChipProps) {
  return (
    <span class="chip" title={status}>
      <Lamp state={signalOf(status, 1, pressing ? 1 : 0)} />
      {t(`status.${status}`)}
    </span>
  );
}

interface WorkStatusProps {
  readonly t: Say;
  readonly work: Pick<WorkView, 'status' | 'lease'>;
  readonly now_ms: number;
}

/** How a work stands. One that has gone silent says so: its status alone would look like work under way. */
export function WorkStatus({ t, work, now_ms }: WorkStatusProps) {
  const silent = isSilent(work, now_ms);
  return (
    <>
      <StatusChip t={t} status={work.status} pressing={silent} />
      {silent ? <strong class="sub bad">{t('work.silent')}</strong> : null}
    </>
  );
}

/** What a row shows. */
type WorkRow = Pick<
  WorkView,
  | 'workId'
  | 'title'
  | 'status'
  | 'kind'
  | 'holder'
  | 'lease'
  | 'dueAt'
  | 'wait'
  | 'updatedAt'
  | 'round'
  | 'gate'
> & { readonly approvals?: Approvals | null };

interface WorkTableProps {
  readonly visit: Visit;
  readonly works: readonly WorkRow[];
  readonly empty: string;
  /** Leads to where each work is answered instead of to the work. */
  readonly toAnswer?: boolean;
  /** Name of a form to which a checkbox of each row belongs whose work is in progress. */
  readonly selectFor?: string;
}

/** Works as rows. On a narrow screen each is a card of its own, which shows what is not as usual. */
export function WorkTable({ visit, works, empty, toAnswer = false, selectFor }: WorkTableProps) {
  const { t, now_ms } = visit;
  if (works.length === 0) return <p class="empty">{empty}</p>;
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={t('list.table')}>
      <table class="works">
        <thead>
          <tr>
            {selectFor ? (
              <th scope="col">
                <span class="visually-hidden">{t('list.select')}</span>
              </th>
            ) : null}
            <th scope="col">{t('work.title')}</th>
            <th scope="col">{t('work.status')}</th>
            <th scope="col">{t('work.kind')}</th>
            <th scope="col">{t('work.holder')}</th>
            <th scope="col">{t('work.due')}</th>
            <th scope="col">{t('work.waiting')}</th>
            <th scope="col" class="number">
              {t('work.round')}
            </th>
          </tr>
        </thead>
        <tbody>
          {works.map((work) => (
            <tr>
              {selectFor ? (
                <td class="select">
                  {work.status === 'IN_PROGRESS' ? (
                    <input
                      type="checkbox"
                      form={selectFor}
                      name="work"
                      value={work.workId}
                      aria-label={work.title}
                    />
                  ) : null}
                </td>
              ) : null}
              <th scope="row" class="title">
                <a href={toAnswer ? answerPath(work) : workPath(work.workId)}>
                  <bdi>{work.title}</bdi>
                </a>
                <span class="work-id">{work.workId}</span>
              </th>
              <td class="status">
                <WorkStatus t={t} work={work} now_ms={now_ms} />
                {work.gate ? (
                  <span class="sub">{sayOr(t, `action.${work.gate.action}`, work.gate.action)}</span>
                ) : null}
                {work.approvals && work.approvals.needed > 1 ? (
                  <span class="sub">
                    {t('gate.approvals', {
                      given: work.approvals.given.length,
                      needed: work.approvals.needed,
                    })}
                  </span>
                ) : null}
              </td>
              <td data-label={t('work.kind')}>{work.kind}</td>
              <td data-label={t('work.holder')}>{work.holder ?? <span class="muted">{t('nobody')}</span>}</td>
              <td data-label={t('work.due')} class={work.dueAt === null ? 'none' : undefined}>
                <Due t={t} at={work.dueAt} now_ms={now_ms} />
              </td>
              {work.wait === null ? (
                <td class="none">
                  <span class="muted">–</span>
                </td>
              ) : (
                <td data-label={t('work.waiting')}>
                  <Age t={t} at={work.wait.since ?? work.updatedAt} now_ms={now_ms} />
                </td>
              )}
              <td class={work.round === 1 ? 'number none' : 'number'} data-label={t('work.round')}>
                {work.round}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
