import fc from 'fast-check';
import { IMPORT_FORMATS, readImport, type ImportFormat } from '../../src/importing/read-import.js';
import type { FuzzDesk } from './fuzz-desk.js';
import { hostileBytes, hostileJsonText, hostileText, hostileValue } from './hostile.js';
import { inBatches, type FuzzOptions } from './in-batches.js';
import { requireNoInsides } from './judge.js';
import { mutated, spoiled } from './mutations.js';

const priority = fc.integer({ min: -1, max: 10 });
const id = fc.stringMatching(/^[a-z]{1,3}-[0-9]{1,3}$/);

const issue: Readonly<Record<ImportFormat, fc.Arbitrary<unknown>>> = {
  jsonl: fc.record(
    {
      workId: id,
      kind: fc.constant('generic'),
      title: fc.string({ maxLength: 30 }),
      input: fc.jsonValue({ maxDepth: 2 }),
      priority,
      blockedBy: fc.array(id, { maxLength: 3 }),
    },
    { requiredKeys: ['workId', 'input'] },
  ),
  beads: fc.record(
    {
      id,
      title: fc.string({ minLength: 1, maxLength: 30 }),
      description: hostileText,
      status: fc.constantFrom('open', 'closed', 'in_progress'),
      priority,
      labels: fc.array(hostileText, { maxLength: 3 }),
      dependencies: fc.array(
        fc.record({
          issue_id: id,
          depends_on_id: id,
          type: fc.constantFrom('blocks', 'parent-child', 'related'),
        }),
        { maxLength: 3 },
      ),
    },
    { requiredKeys: ['id', 'title'] },
  ),
  github: fc.record(
    {
      number: fc.integer({ min: 0, max: 99 }),
      title: fc.string({ minLength: 1, maxLength: 30 }),
      body: hostileText,
      labels: fc.array(fc.record({ name: hostileText, color: fc.constant('ff0000') }), { maxLength: 3 }),
      url: fc.oneof(
        fc.webUrl(),
        fc.integer({ min: 0, max: 99 }).map((n) => `https://host/owner/repo/issues/${n}`),
      ),
      state: fc.constantFrom('OPEN', 'CLOSED'),
    },
    { requiredKeys: ['number', 'title'] },
  ),
};

interface Upload {
  readonly format: ImportFormat;
  readonly kind: string;
  readonly bytes: Uint8Array;
  /** Where the bytes are cut into chunks. */
  readonly cut: number;
}

const uploads: fc.Arbitrary<Upload> = fc.constantFrom(...IMPORT_FORMATS).chain((format) => {
  const line = fc.oneof(
    { weight: 4, arbitrary: issue[format].map((value) => JSON.stringify(value)) },
    { weight: 3, arbitrary: mutated(issue[format]).map((value) => JSON.stringify(value) ?? '') },
    { weight: 1, arbitrary: spoiled(issue[format].map((value) => JSON.stringify(value))) },
    { weight: 1, arbitrary: hostileJsonText },
    { weight: 1, arbitrary: hostileValue.map((value) => JSON.stringify(value)) },
  );
  const lines = fc.array(line, { maxLength: 6 });
  const array = lines.map((each) => `[${each.join(',')}]`);
  const text = fc.oneof(
    lines.map((each) => each.join('\n')),
    lines.map((each) => each.join('\r\n')),
    array,
  );
  return fc.record({
    format: fc.constant(format),
    kind: fc.constantFrom('generic', 'code-change', 'invoice-check', 'absent'),
    bytes: fc.oneof(
      { weight: 6, arbitrary: text.map((each) => new Uint8Array(Buffer.from(each))) },
      { weight: 1, arbitrary: hostileBytes },
    ),
    cut: fc.integer({ min: 1, max: 50 }),
  });
});

/** Every format of import, in chunks of any size: an outcome for each line, in order, and never an error. */
export async function fuzzImports(options: FuzzOptions): Promise<void> {
  await inBatches(options, uploads, tryImport);
}

async function tryImport({ box, dataDir }: FuzzDesk, { format, kind, bytes, cut }: Upload): Promise<void> {
  let last = 0;
  for await (const outcome of box
    .as('owner')
    .importWorks(readImport(format, inChunks(bytes, cut), { kind }))) {
    requireNoInsides(JSON.stringify(outcome), dataDir);
    if (outcome.line <= last) throw new Error(`line ${outcome.line} came after ${last}`);
    last = outcome.line;
    const told = outcome.outcome === 'refused' ? outcome.code !== undefined : outcome.workId !== undefined;
    if (!told) throw new Error(`says neither what it became nor why not: ${JSON.stringify(outcome)}`);
  }
}

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
