import { Refusal } from '../../core/refusals.js';
import { isAnswer, sendAnswer } from './answers.js';
import { sendCaseForm } from './case-answers.js';
import { sendEffectForm } from './effect-answers.js';
import type { Fields } from './form.js';
import { seeOther } from './headers.js';
import type { Screens } from './screens.js';
import { tryForm } from './try-form.js';
import { verifiedPage } from './verified-page.js';
import type { Visit } from './visit.js';
import { workPage } from './work-page.js';
import { workPath } from './work-table.js';

/** A work, and every form on its page. What is refused comes back on that page with what was typed. */
export function workScreens(screens: Screens): void {
  screens.get('/works/:workId', (visit) => workPage(visit));
  screens.get('/works/:workId/verify', (visit) => verifiedPage(visit));
  const formsAt = (
    path: string,
    send: (visit: Visit, name: string, form: Fields) => Promise<string | void>,
  ): void => {
    screens.post(`/works/:workId/${path}/:form`, (visit, form) => {
      const name = visit.param('form');
      return tryForm(
        async () => {
          const done = (await send(visit, name, form)) ?? name;
          return `${workPath(visit.param('workId'))}?done=${encodeURIComponent(done)}`;
        },
        (refusal) => workPage(visit, { name, refusal, typed: form }),
      );
    });
  };
  formsAt('act', async ({ door, param }, name, form) => {
    if (!isAnswer(name)) throw new Refusal('NOT_FOUND', `no action ${name}`);
    await sendAnswer(door, name, param('workId'), form);
  });
  formsAt('case', ({ door, param, now_ms }, name, form) =>
    sendCaseForm(door, name, param('workId'), form, now_ms),
  );
  formsAt('effect', ({ door, param }, name, form) => sendEffectForm(door, name, param('workId'), form));
  screens.post('/works/:workId/retry-apply', async ({ door, param }, form) => {
    await door.retryApply(param('workId'), { reason: form.get('reason').trim() });
    return seeOther(`${workPath(param('workId'))}?done=retry`);
  });
  screens.post('/works/:workId/note', async ({ door, param }, form) => {
    await door.note(param('workId'), { text: form.get('text').trim() });
    return seeOther(`${workPath(param('workId'))}?done=note`);
  });
}
