import { Refusal } from '../../core/refusals.js';
import { doorFor, type Door } from '../../operations/door.js';
import type { SampleWork } from '../http/server.js';
import { seeOther } from './headers.js';
import { Csrf } from './layout.js';
import type { Screens } from './screens.js';
import { isOwner, type Visit } from './visit.js';
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
      <Steps visit={visit} done={false} />
    </div>
  );
}

/** What is left of the guide, above a board that holds nothing but what its first step made. */
export function GuideRest({ visit }: { readonly visit: Visit }) {
  return (
    <section class="guide" aria-labelledby="guide-title">
      <h2 id="guide-title">{visit.t('guide.rest')}</h2>
      <Steps visit={visit} done />
    </section>
  );
}

/** Whether the guide's first step is done and its second is not, and everything on the desk is of that first step. */
export async function isHalfGuided(visit: Visit, total: number, loadSamples: LoadSamples): Promise<boolean> {
  if (total > 1 || !isOwner(visit.session)) return false;
  const pair = correctedPair(await loadSamples());
  if (!pair) return false;
  const { kind, input } = pair.original;
  const found = await visit.door.list({ kind, q: String(numberOf(input)), limit: 1 });
  return found.total === total;
}

/** @param done whether the first step has been taken */
function Steps({ visit, done }: { readonly visit: Visit; readonly done: boolean }) {
  const { t } = visit;
  return (
    <ol class="steps">
      <Step visit={visit} name="late" title={t('guide.late')} text={t('guide.late_text')} done={done} />
      <Step
        visit={visit}
        name="samples"
        title={t('guide.samples')}
        text={t('guide.samples_text')}
        primary={done}
      />
      <li class="panel">
        <h2>{t('guide.own')}</h2>
        <p>{t('guide.own_text')}</p>
        <a class="button" href="/import">
          {t('nav.import')}
        </a>
      </li>
    </ol>
  );
}

interface StepProps {
  readonly visit: Visit;
  readonly name: 'samples' | 'late';
  readonly title: string;
  readonly text: string;
  readonly primary?: boolean;
  readonly done?: boolean;
}

function Step({ visit, name, title, text, done = false, primary = !done && name === 'late' }: StepProps) {
  return (
    <li class="panel">
      <h2>{title}</h2>
      <p>{text}</p>
      {done ? (
        <p class="tag tag-accepted">{visit.t('guide.done')}</p>
      ) : (
        <form method="post" action={`/guide/${name}`}>
          <Csrf session={visit.session} />
          <button class={primary ? 'primary' : ''}>{visit.t('guide.run')}</button>
        </form>
      )}
    </li>
  );
}

export function guideScreens(screens: Screens, loadSamples: LoadSamples): void {
  screens.post('/guide/samples', async (visit) => {
    await registerSamples(visit, await loadSamples());
    return seeOther('/?guide=samples');
  });
  screens.post('/guide/late', async (visit) => {
    const workId = await turnOneAway(visit, await loadSamples());
    return seeOther(workId === null ? '/' : `${workPath(workId)}?guide=late`);
  });
}

async function registerSamples({ door }: Visit, samples: readonly SampleWork[]): Promise<void> {
  const corrected = correctedPair(samples);
  for (const sample of samples) {
    if (sample.correction) continue;
    // The one that the first step has corrected is there, in its newer version.
    const known = sample === corrected?.original && (await isThere(door, sample));
    if (!known) await door.register({ kind: sample.kind, input: sample.input });
  }
}

async function isThere(door: Door, { kind, input }: SampleWork): Promise<boolean> {
  return (await door.list({ kind, q: String(numberOf(input)), limit: 1 })).total > 0;
}

/**
 * The late submission, for real: the same verbs, the same guard, on behalf of a sample worker, with both names in
 * history. Gives the work's ID, or null where the samples hold no correction.
 */
async function turnOneAway(visit: Visit, samples: readonly SampleWork[]): Promise<string | null> {
  const { door, desk, session } = visit;
  const pair = correctedPair(samples);
  if (!pair) return null;
  const { original, correction } = pair;
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

/** The sample that another one corrects, with its correction; null where the samples hold none. */
function correctedPair(
  samples: readonly SampleWork[],
): { readonly original: SampleWork; readonly correction: SampleWork } | null {
  const correction = samples.find((sample) => sample.correction);
  const original = samples.find(
    (sample) => !sample.correction && numberOf(sample.input) === numberOf(correction?.input),
  );
  return correction && original ? { original, correction } : null;
}

const numberOf = (input: unknown): unknown =>
  (input as { invoiceNumber?: unknown } | undefined)?.invoiceNumber;
