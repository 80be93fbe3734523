import { Refusal } from '../../core/refusals.js';
import type { Status } from '../../core/work.js';
import type { Door } from '../../operations/door.js';
import { Notice } from './layout.js';
import { NextPage } from './next-page.js';
import type { Screens } from './screens.js';
import type { Section } from './visit.js';
import { WorkTable, workPath } from './work-table.js';

interface WaitingList {
  readonly path: string;
  readonly section: Section & ('gates' | 'reviews');
  readonly status: Status;
}

/** How many approvals a gate has that the one just given did not open; null for everything else. */
async function partlyApproved(door: Door, workId: string): Promise<{ given: number; needed: number } | null> {
  const work = await door.show(workId).catch((error: unknown) => {
    // The address may name anything.
    if (error instanceof Refusal) return null;
    throw error;
  });
  const approvals = work?.approvals;
  if (!approvals || approvals.needed < 2 || approvals.given.length === 0) return null;
  return { given: approvals.given.length, needed: approvals.needed };
}

/** The list of works that wait for one sort of judgement, the most pressing first. Renews itself. */
export function waitingScreen(screens: Screens, { path, section, status }: WaitingList): void {
  screens.get(path, async (visit) => {
    const { t, door, query } = visit;
    const cursor = query.get('cursor');
    const page = await door.list({ status, sort: 'due', ...(cursor ? { cursor } : {}) });
    const done = query.get('done');
    const partly = done ? await partlyApproved(door, done) : null;
    return {
      title: t(`nav.${section}`),
      section,
      body: (
        <>
          <h1>{t(`nav.${section}`)}</h1>
          <p class="lead">{t(`${section}.lead`)}</p>
          {done ? (
            <Notice kind="good">
              {partly ? t('gate.counted', partly) : t('answer.accepted')} <a href={workPath(done)}>{done}</a>
            </Notice>
          ) : null}
          <div
            id="waiting-list"
            hx-get={visit.path}
            hx-select="#waiting-list"
            hx-swap="outerHTML"
            hx-trigger="desk-changed from:body"
            data-refreshes
          >
            <p class="muted">{t('list.total', { n: page.total })}</p>
            <WorkTable visit={visit} works={page.items} empty={t(`${section}.empty`)} toAnswer />
            <NextPage visit={visit} cursor={page.nextCursor} />
          </div>
        </>
      ),
    };
  });
}
