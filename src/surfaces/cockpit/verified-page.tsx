import { Notice } from './layout.js';
import type { Page, Visit } from './visit.js';
import { workPath } from './work-table.js';

/** The proof of one work, said in sentences: what was compared, whether it agrees, and what does not. */
export async function verifiedPage({ t, door, param }: Visit): Promise<Page> {
  const report = await door.verifyWork(param('workId'));
  const { workId, clean, events, receipts, checkpoints, artifacts, differences, historyHash } = report;
  return {
    title: `${t('verify.title')}: ${workId}`,
    body: (
      <>
        <h1>{t('verify.title')}</h1>
        <p>
          <a href={workPath(workId)}>{workId}</a>
        </p>
        <div id="verified">
          <Notice kind={clean ? 'good' : 'bad'}>
            <p>
              <strong>{clean ? t('verify.clean') : t('verify.broken', { n: differences.length })}</strong>
            </p>
            <p>{t('verify.compared', { events, receipts, checkpoints, artifacts })}</p>
            {differences.length === 0 ? null : (
              <ul>
                {differences.map(({ code, detail }) => (
                  <li>
                    <code>{code}</code> <bdi>{detail}</bdi>
                  </li>
                ))}
              </ul>
            )}
            <p class="small">
              {t('verify.hash')} <code class="wrap">{historyHash}</code>
            </p>
          </Notice>
        </div>
      </>
    ),
  };
}

/** Asks for the proof in place; without scripts the link leads to its page. */
export function VerifyLink({ visit: { t }, workId }: { readonly visit: Visit; readonly workId: string }) {
  const path = `${workPath(workId)}/verify`;
  return (
    <section class="panel" aria-labelledby="verify-title">
      <h2 id="verify-title">{t('verify.title')}</h2>
      <p class="hint">{t('verify.hint')}</p>
      <div id="verified" aria-live="polite">
        <a
          class="button"
          href={path}
          hx-get={path}
          hx-select="#verified"
          hx-target="#verified"
          hx-swap="outerHTML"
        >
          {t('verify.do')}
        </a>
      </div>
    </section>
  );
}
