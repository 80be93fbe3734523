import { stat } from 'node:fs/promises';
import { IMPORT_FORMATS, readImport, type ImportFormat } from '../../../importing/read-import.js';
import { noteSome } from '../out.js';
import { readSource } from '../read-source.js';
import { plain } from '../table.js';
import type { DoorVerb } from '../verb.js';

export const verb: DoorVerb = {
  summary: 'Bring a backlog in as DISCOVERED works; again, it changes nothing',
  founds: true,
  arguments: [['<file>', 'the file; - reads stdin']],
  options: [
    {
      flags: '--format <format>',
      says: "jsonl: a registration a line; beads: issues.jsonl; github: 'gh issue list --json' (jsonl)",
      choices: IMPORT_FORMATS,
    },
    { flags: '--kind <kind>', says: 'the kind of works that name none (generic)' },
  ],
  examples: [
    'signalbox import works.jsonl',
    'signalbox import .beads/issues.jsonl --format beads',
    'gh issue list --state all --limit 1000 --json number,title,body,labels,url | signalbox import - --format github',
  ],
  async run(door, args, out) {
    const path = args.at(0);
    const format = (args.text('format') ?? 'jsonl') as ImportFormat;
    const size_bytes =
      path === '-'
        ? 0
        : await stat(path).then(
            (file) => file.size,
            () => 0,
          );
    const started_ms = performance.now();
    const counts = { created: 0, existing: 0, corrected: 0, follow_up: 0, refused: 0 };
    const refused: { line: number; code: string; detail: string }[] = [];
    let read_bytes = 0;
    async function* counted(): AsyncGenerator<Uint8Array> {
      for await (const chunk of readSource(path)) {
        read_bytes += chunk.length;
        yield chunk;
      }
    }
    let lines = 0;
    for await (const outcome of door.importWorks(
      readImport(format, counted(), { kind: args.text('kind') ?? 'generic' }),
    )) {
      lines += 1;
      counts[outcome.outcome] += 1;
      if (outcome.outcome === 'refused')
        refused.push({ line: outcome.line, code: outcome.code ?? 'INVALID', detail: outcome.detail ?? '' });
      out.progress(bar(lines, size_bytes === 0 ? null : read_bytes / size_bytes));
    }
    out.progress('');
    const elapsed_ms = Math.round(performance.now() - started_ms);
    out.answer(
      { lines, ...counts, elapsed_ms, refusals: refused },
      () =>
        `${lines} lines in ${(elapsed_ms / 1000).toFixed(1)} s: ${Object.entries(counts)
          .filter(([name, count]) => count > 0 || name === 'created')
          .map(([name, count]) => `${count} ${name.replace('_', ' ')}`)
          .join(', ')}`,
    );
    noteSome(out, refused, ({ line, code, detail }) => `${code}: line ${line}: ${plain(detail)}`);
    return refused.length > 0 ? 1 : 0;
  },
};

const BAR_chars = 30;

function bar(lines: number, share: number | null): string {
  if (share === null) return `${lines} lines`;
  const full = Math.min(BAR_chars, Math.round(share * BAR_chars));
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_chars - full)}] ${Math.round(share * 100)} %, ${lines} lines`;
}
