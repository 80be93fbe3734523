import { judgementScreens } from './judgement-screens.js';
import { Notice } from './layout.js';
import type { Screens } from './screens.js';

/** The reviews: results that somebody other than their maker has to judge. */
export function reviewScreens(screens: Screens): void {
  judgementScreens(screens, {
    section: 'reviews',
    status: 'VP_REVIEW',
    answer: 'review',
    question: ({ t }) => t('review.question'),
    lead: () => null,
    before: ({ t, session }, { work }) => (
      <>
        {work.author === session.who.principal ? <Notice kind="warn">{t('review.own')}</Notice> : null}
        <p class="hint">{t('review.hint')}</p>
      </>
    ),
  });
}
