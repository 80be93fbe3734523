import fc from 'fast-check';
import type { Verb } from '../../src/surfaces/cli/verb.js';
import { VERBS, isVerb } from '../../src/surfaces/cli/verbs.js';
import { runCommandLine } from '../../src/surfaces/cli/program.js';
import { connect } from '../../src/client.js';
import type { FuzzDesk } from './fuzz-desk.js';
import { hostileJsonText, hostileText } from './hostile.js';
import { inBatches, type FuzzOptions } from './in-batches.js';
import { requireNoInsides } from './judge.js';

/** Verbs that go on until they are stopped, or that write a folder of their own. */
const NOT_HERE = new Set([
  'start',
  'demo',
  'worker',
  'reviewer',
  'mcp',
  'migrate',
  'backup',
  'restore',
  'export',
]);

interface Line {
  readonly words: readonly string[];
}

const NO_FOLDER = 'no folder is opened here';
const KNOWN = [
  'discovered',
  'ready',
  'held',
  'in-review',
  'gated',
  'absent',
  'spare',
  '1',
  'generic',
  '{}',
  'list',
];

async function lines(): Promise<fc.Arbitrary<Line>> {
  const each = await Promise.all(
    Object.keys(VERBS)
      .filter(isVerb)
      .filter((name) => !NOT_HERE.has(name))
      .map(async (name) => linesOf([name], (await VERBS[name]()).verb)),
  );
  const anything = fc.array(fc.oneof(hostileText, fc.constantFrom(...KNOWN, '--json', '--help', '--')), {
    maxLength: 5,
  });
  return fc.oneof(
    { weight: 30, arbitrary: fc.oneof(...each) },
    { weight: 1, arbitrary: anything.map((words) => ({ words })) },
  );
}

function linesOf(names: readonly string[], verb: Verb): fc.Arbitrary<Line> {
  if ('verbs' in verb)
    return fc.oneof(...Object.entries(verb.verbs).map(([under, each]) => linesOf([...names, under], each)));
  const value = fc.oneof(fc.constantFrom(...KNOWN), hostileText, hostileJsonText);
  const flags = [
    ...(verb.options ?? []).map((option) => [option.flags, option.choices] as const),
    ['--json', undefined],
    ['--idempotency-key <key>', undefined],
    ['--on-behalf-of <p>', undefined],
    ['--because <r>', undefined],
  ] as const;
  const option = fc.constantFrom(...flags).chain(([flag, choices]): fc.Arbitrary<string[]> => {
    const [name = ''] = flag.split(' ');
    if (!flag.includes('<')) return fc.constant<string[]>([name]);
    const given = choices ? fc.oneof(fc.constantFrom(...choices), value) : value;
    return given.map((text) => [name, text]);
  });
  return fc
    .tuple(fc.array(value, { maxLength: 2 }), fc.array(option, { maxLength: 5 }))
    .map(([positional, options]) => ({ words: [...names, ...positional, ...options.flat()].map(harmless) }));
}

/** A generated line names no files to write and no other server, and holds no NUL: no operating system passes one on. */
const harmless = (word: string): string =>
  /^--(?:url|data|out|to|file|config)\b/.test(word) ? '--json' : word.slice(0, 50_000).replaceAll('\0', '');

/** Every verb's line, parsed and run in this process against the real server: a known exit code, and no inside told. */
export async function fuzzCommandLines(options: FuzzOptions): Promise<void> {
  await inBatches(options, await lines(), tryLine);
}

async function tryLine({ server, furnished, dataDir }: FuzzDesk, { words }: Line): Promise<void> {
  const told: string[] = [];
  const { stdout, stderr } = process;
  const kept = [stdout.write.bind(stdout), stderr.write.bind(stderr)] as const;
  const listen = (text: string | Uint8Array): boolean => {
    told.push(String(text));
    return true;
  };
  stdout.write = listen;
  stderr.write = listen;
  let exit: number;
  try {
    const programs = {
      open: () => Promise.reject(new Error(NO_FOLDER)),
      serve: () => Promise.reject(new Error('nothing is served here')),
      connect: (to: Parameters<typeof connect>[0]) => Promise.resolve(connect(to)),
      sampleInvoices: () => Promise.resolve([]),
    };
    exit = await runCommandLine(words, programs, {
      SIGNALBOX_URL: server.url,
      SIGNALBOX_TOKEN: furnished.tokens['owner'] ?? '',
    });
  } finally {
    stdout.write = kept[0];
    stderr.write = kept[1];
  }
  const text = told.join('');
  // Verbs that work on the folder itself get no further here.
  if (exit === 3 && text.includes(NO_FOLDER)) return;
  if (![0, 1, 2].includes(exit)) throw new Error(`exit code ${exit}: ${text.slice(0, 500)}`);
  requireNoInsides(text, dataDir);
}
