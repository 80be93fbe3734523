import type { Child } from 'hono/jsx';
import { Refusal } from '../../core/refusals.js';
import { doorFor } from '../../operations/door.js';
import type { SampleWork } from '../http/server.js';
import { seeOther } from './headers.js';
import { Csrf } from './layout.js';
import type { Screens } from './screens.js';
import type { Visit } from './visit.js';
import { workPath } from './work-table.js';

export type LoadSamples = () => Promise<readonly SampleWork[]>;

const WORKER = 'sample-worker';
const REASON = 'the first-visit guide shows a late submission';

/** What a new desk shows instead of an empty board: two presses to see what the desk is for. */
export function Guide({ visit }: { readonly visit: Visit }) {
  const { t } = visit;
  return (
    <div id="board" class="guide">
      <h1>{t('guide.title')}</h1>
      <p class="lead">{t('guide.lead')}</p>
      <ol class="steps">
        <Step visit={visit} name="late" title={t('guide.late')} text={t('guide.late_text')} primary />
        <Step visit={visit} name="samples" title={t('guide.samples')} text={t('guide.samples_text')} />
        <li class="panel">
          <h2>{t('guide.own')}</h2>
          <p>{t('guide.own_text')}</p>
          <a class="button" href="/import">
            {t('nav.import')}
          </a>
        </li>
      </ol>
    </div>
  );
}

interface StepProps {
  readonly visit: Visit;
  readonly name: 'samples' | 'late';
  readonly title: string;
  readonly text: string;
  readonly primary?: boolean;
  readonly children?: Child;
}

function Step({ visit, name, title, text, primary = false }: StepProps) {
  return (
    <li class="panel">
      <h2>{title}</h2>
      <p>{text}</p>
      <form method="post" action={`/guide/${name}`}>
        <Csrf session={visit.session} />
        <button class={primary ? 'primary' : ''}>{visit.t('guide.run')}</button>
      </form>
    </li>
  );
}

export function guideScreens(screens: Screens, loadSamples: LoadSamples): void {
  screens.post('/guide/samples', async (visit) => {
    await registerSamples(visit, await loadSamples());
    return seeOther('/');
  });
  screens.post('/guide/late', async (visit) => {
    const samples = await loadSamples();
    await registerSamples(visit, samples);
    const workId = await turnOneAway(visit, samples);
    return seeOther(workId === null ? '/' : `${workPath(workId)}?guide=late`);
  });
}

async function registerSamples({ door }: Visit, samples: readonly SampleWork[]): Promise<void> {
  for (const sample of samples) {
    if (!sample.correction) await door.register({ kind: sample.kind, input: sample.input });
  }
}

/**
 * The late submission, for real: the same verbs, the same guard, on behalf of a sample worker, with both names in
 * history. Gives the work's ID, or null where the samples hold no correction.
 */
async function turnOneAway(visit: Visit, samples: readonly SampleWork[]): Promise<string | null> {
  const { door, desk, session } = visit;
  const correction = samples.find((sample) => sample.correction);
  const original = samples.find(
    (sample) => !sample.correction && sameInvoice(sample.input, correction?.input),
  );
  if (!correction || !original) return null;
  await door.putPrincipal({ name: WORKER, roles: ['worker'] });
  const worker = doorFor(desk, { ...session.who, onBehalfOf: { principal: WORKER, reason: REASON } });
  const { work } = await door.register({ kind: original.kind, input: original.input });
  await door.promote(work.workId, { reason: REASON });
  const { claim } = await worker.claim(work.workId, {});
  const report = {
    decision: 'ok',
    checkedTotal: 1977.56,
    discrepancies: [],
    notes: 'Checked against version 1.',
  };
  const { sha256 } = await worker.putArtifact(JSON.stringify(report), 'application/json');
  await door.register(correction);
  try {
    await worker.submit(work.workId, {
      interruptId: claim.interruptId,
      inputVersion: claim.inputVersion,
      artifact: { sha256 },
    });
  } catch (error) {
    // Being refused is what this shows.
    if (!(error instanceof Refusal)) throw error;
  }
  return work.workId;
}

function sameInvoice(a: unknown, b: unknown): boolean {
  const numberOf = (input: unknown): unknown =>
    (input as { invoiceNumber?: unknown } | undefined)?.invoiceNumber;
  return numberOf(a) !== undefined && numberOf(a) === numberOf(b);
}
