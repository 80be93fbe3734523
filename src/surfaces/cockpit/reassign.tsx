import { LIMITS } from '../../core/limits.js';
import { Refusal } from '../../core/refusals.js';
import type { Door } from '../../operations/door.js';
import type { Fields } from './form.js';
import { Csrf, Notice } from './layout.js';
import type { Screens } from './screens.js';
import type { Page, Visit } from './visit.js';
import { WorkTable, workPath } from './work-table.js';

/** Names the list's checkboxes belong to. */
export function ReassignStart({ visit }: { readonly visit: Visit }) {
  return (
    <form id="bulk" method="post" action="/basket/reassign" class="bulk">
      <Csrf session={visit.session} />
      <button>{visit.t('bulk.start')}</button> <span class="hint">{visit.t('bulk.which')}</span>
    </form>
  );
}

export function reassignScreens(screens: Screens): void {
  screens.post('/basket/reassign', (visit, form) => preview(visit, form));
  screens.post('/basket/reassign/confirm', (visit, form) => confirm(visit, form));
}

type Shown = Awaited<ReturnType<Door['show']>>;

async function chosen(door: Door, form: Fields): Promise<Shown[]> {
  const ids = [...new Set(form.all('work'))].slice(0, LIMITS.page_max);
  return await Promise.all(ids.map((workId) => door.show(workId)));
}

/** What would change hands, before anything does. The waits are those of this moment: what moves meanwhile is refused. */
async function preview(visit: Visit, form: Fields): Promise<Page> {
  const { t, door, session } = visit;
  const works = await chosen(door, form);
  const possible = works.filter((work) => work.status === 'IN_PROGRESS' && work.wait !== null);
  const impossible = works.filter((work) => !possible.includes(work));
  return {
    title: t('bulk.title'),
    section: 'basket',
    body: (
      <>
        <h1>{t('bulk.title')}</h1>
        {possible.length === 0 ? (
          <Notice kind="info">{t('bulk.none')}</Notice>
        ) : (
          <>
            <p class="lead">{t('bulk.lead')}</p>
            <WorkTable visit={visit} works={possible} empty="" />
            <form method="post" action="/basket/reassign/confirm" class="panel bulk">
              <Csrf session={session} />
              {possible.map((work) => (
                <input
                  type="hidden"
                  name="wait"
                  value={JSON.stringify([work.workId, work.wait?.interruptId])}
                />
              ))}
              <div class="field">
                <label for="to">
                  {t('bulk.to')} <span class="muted">({t('bulk.queue')}: –)</span>
                </label>
                <input id="to" name="to" autocomplete="off" />
              </div>
              <div class="field">
                <label for="reason">{t('field.reason')}</label>
                <textarea id="reason" name="reason" rows={2} required></textarea>
              </div>
              <div class="buttons">
                <button class="primary">{t('bulk.confirm')}</button>
              </div>
            </form>
          </>
        )}
        {impossible.length > 0 ? (
          <ul>
            {impossible.map((work) => (
              <li>
                <a href={workPath(work.workId)}>{work.workId}</a>: {t('bulk.not_possible')}
              </li>
            ))}
          </ul>
        ) : null}
      </>
    ),
  };
}

/** Each by itself: one that is refused keeps none of the others from moving, and each answer is shown. */
async function confirm(visit: Visit, form: Fields): Promise<Page> {
  const { t, door } = visit;
  const to = form.get('to').trim();
  const outcomes: { workId: string; said: string; moved: boolean }[] = [];
  // All of them are read before the first one moves: what is no form of ours moves none.
  const waits = form.all('wait').slice(0, LIMITS.page_max).map(waitOf);
  for (const [workId, interruptId] of waits) {
    try {
      await door.handoff(workId, {
        interruptId,
        reason: form.get('reason').trim(),
        ...(to === '' ? {} : { to }),
      });
      outcomes.push({ workId, said: t('bulk.moved'), moved: true });
    } catch (error) {
      // Whoever may not enter any more is told so, but not before the outcome of what had moved by then.
      if (!(error instanceof Refusal) || (error.code === 'UNAUTHENTICATED' && outcomes.length === 0))
        throw error;
      outcomes.push({ workId, said: `${error.code}: ${error.detail}`, moved: false });
    }
  }
  return {
    title: t('bulk.title'),
    section: 'basket',
    body: (
      <>
        <h1>{t('bulk.result')}</h1>
        <ul class="panel outcomes">
          {outcomes.map(({ workId, said, moved }) => (
            <li class={moved ? '' : 'bad'}>
              <a href={workPath(workId)}>{workId}</a>: <bdi>{said}</bdi>
            </li>
          ))}
        </ul>
        <p>
          <a href="/basket?view=in_progress">{t('bulk.back')}</a>
        </p>
      </>
    ),
  };
}

function waitOf(text: string): [workId: string, interruptId: string] {
  try {
    const [workId, interruptId] = JSON.parse(text) as unknown[];
    if (typeof workId === 'string' && typeof interruptId === 'string') return [workId, interruptId];
  } catch {
    // falls through to the one answer for what this page did not write
  }
  throw new Refusal('INVALID', 'this form was changed on its way');
}
