import fc from 'fast-check';
import type { Desk } from '../../src/operations/desk.js';
import { cockpitApp } from '../../src/surfaces/cockpit/app.js';
import { filled } from './furnish.js';
import type { FuzzDesk } from './fuzz-desk.js';
import { hostileText } from './hostile.js';
import { inBatches, type FuzzOptions } from './in-batches.js';
import { requireProper } from './judge.js';
import { send } from './send.js';

const WORK_IDS = ['discovered', 'ready', 'held', 'in-review', 'passed', 'gated', '@case', 'absent'];

export const PAGES: readonly string[] = [
  '/',
  '/basket',
  '/gates',
  '/reviews',
  '/health',
  '/daily',
  '/daily.md',
  '/people',
  '/import',
  '/sign-in',
  '/gates/:work',
  '/reviews/:work',
  '/works/:work',
  '/works/:work/artifacts/@artifact',
  '/kinds/generic',
  '/cockpit/cockpit.css',
];

/** What a form's path may name besides a work. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  action: [
    'promote',
    'claim',
    'release',
    'hold',
    'resume',
    'block',
    'unblock',
    'cancel',
    'submit',
    'nonsense',
  ],
  form: ['decide', 'request-info', 'provide-info', 'intend', 'settle', 'nonsense'],
  act: ['redrive', 'close'],
  id: ['absent'],
};

/** Every form that the cockpit takes, its variables filled in; `:work` is left. */
export const FORMS: readonly string[] = formPaths();

function formPaths(): string[] {
  // Registering pages asks nothing of the desk.
  const app = cockpitApp({} as Desk, {
    closing: new AbortController().signal,
    samples: () => Promise.resolve([]),
  });
  const taken = app.routes.filter(({ method }) => method === 'POST').map(({ path }) => path);
  return [...new Set(taken)].flatMap((path) => filledIn(path.replace(':workId', ':work')));
}

function filledIn(path: string): string[] {
  const [, name] = /:(?!work\b)(\w+)/.exec(path) ?? [];
  if (name === undefined) return [path];
  return (NAMED[name] ?? ['absent']).flatMap((value) => filledIn(path.replace(`:${name}`, value)));
}

const FIELDS = [
  'interruptId',
  'inputVersion',
  'artifactSha256',
  'gateAction',
  'verdict',
  'decision',
  'reason',
  'findings',
  'evidenceRef',
  'text',
  'to',
  'name',
  'actor',
  'roles',
  'label',
  'token',
  'code',
  'language',
  'back',
  'switch',
  'paused',
  'key',
  'operation',
  'result',
  'works',
  'kind',
  'view',
  'cursor',
  'q',
  'date',
  'done',
  'sort',
];

const VALUES = fc.oneof(
  fc.constantFrom(
    '@wait',
    '@artifact',
    'spare',
    'PASS',
    'REWORK',
    'approve',
    'hold',
    '1',
    'ja',
    '/works/held',
    'true',
  ),
  hostileText,
);
const pairs = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...FIELDS), hostileText), VALUES), { maxLength: 8 });

interface Visit {
  readonly form: boolean;
  readonly path: string;
  readonly workId: string;
  readonly fields: readonly (readonly [string, string])[];
  readonly csrf: 'own' | 'none';
}

const visits: fc.Arbitrary<Visit> = fc.boolean().chain((form) =>
  fc
    .record({
      path: fc.constantFrom(...(form ? FORMS : PAGES)),
      workId: fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...WORK_IDS) },
        { weight: 1, arbitrary: hostileText },
      ),
      fields: pairs,
      csrf: fc.constantFrom('own' as const, 'own' as const, 'none' as const),
    })
    .map((rest) => ({ form, ...rest })),
);

/** Every page and form of the cockpit, signed in as the owner: no fault, nothing of our inside, no markup of an input. */
export async function fuzzPages(options: FuzzOptions): Promise<void> {
  await inBatches(options, visits, visit);
}

async function visit(desk: FuzzDesk, { form, path, workId, fields, csrf }: Visit): Promise<void> {
  const { box, furnished, server, dataDir } = desk;
  const known = workId === '@case' ? (furnished.workIds.at(-1) ?? '') : workId;
  const segment = encodeURIComponent(known.replaceAll(/\p{Surrogate}/gu, '?'));
  const put = (text: string): Promise<string> => filled(box, furnished, text, known);
  const body = new URLSearchParams(csrf === 'own' ? { csrf: furnished.session.csrf } : {});
  for (const [name, value] of fields) body.append(name, await put(value));
  const place = (await put(path)).replace(':work', segment);
  const { port } = new URL(server.url);
  const answer = await send(server.url, {
    method: form ? 'POST' : 'GET',
    path: form ? place : `${place}?${body.toString()}`,
    headers: [
      ['cookie', `signalbox_session_${port}=${furnished.session.secret}`],
      ['origin', server.url],
      ...(form ? ([['content-type', 'application/x-www-form-urlencoded']] as const) : []),
    ],
    body: form ? body.toString() : null,
  });
  requireProper(answer, { dataDir, problems: false });
  if (/<script>alert|<img src=x/.test(answer.text)) throw new Error(`markup of an input in ${place}`);
  const location = String(answer.headers['location'] ?? '/');
  if (!/^\/(?!\/)/.test(location)) throw new Error(`sends the browser to ${location}`);
  await box.as('owner').setSwitch({ switch: 'intake', paused: false, reason: 'go on' });
}
