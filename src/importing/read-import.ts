import { parseBeads } from './beads.js';
import { parseGithub, parseGithubArray } from './github.js';
import { parseJsonl } from './jsonl.js';
import type { BadLine, Parsed, ParseOptions } from './import-request.js';
import { badLine, parseObject } from './import-request.js';
import { asBytes, decode, splitLines, type Chunks } from './split-lines.js';

export const IMPORT_FORMATS = ['jsonl', 'beads', 'github'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** Largest GitHub export taken: an array has to be held as a whole, unlike lines. */
export const GITHUB_FILE_LIMIT_bytes = 64 * 1_048_576;

type LineParser = (text: string, line: number, options: ParseOptions) => Parsed;

const LINE_PARSERS: Record<ImportFormat, LineParser> = {
  jsonl: parseJsonl,
  beads: parseBeads,
  github: (text, line, options) => {
    const parsed = parseObject(text, line);
    return parsed.ok ? parseGithub(parsed.value, line, options) : parsed;
  },
};

/** Reads an import of any format: one `Parsed` for each line or element, in order, as the stream arrives. */
export async function* readImport(
  format: ImportFormat,
  chunks: Chunks,
  options: ParseOptions = {},
): AsyncGenerator<Parsed> {
  if (format === 'github') yield* readGithub(chunks, options);
  else yield* readLines(LINE_PARSERS[format], chunks, options);
}

async function* readLines(parse: LineParser, chunks: Chunks, options: ParseOptions): AsyncGenerator<Parsed> {
  for await (const line of splitLines(chunks)) yield line.ok ? parse(line.text, line.line, options) : line;
}

/** GitHub's tool prints an array, or one object a line when asked for `.[]`. */
async function* readGithub(chunks: Chunks, options: ParseOptions): AsyncGenerator<Parsed> {
  const file = await collect(chunks, GITHUB_FILE_LIMIT_bytes);
  if (!('text' in file)) yield file;
  else if (file.text.startsWith('[')) yield* parseGithubArray(file.text, options);
  else yield* readLines(LINE_PARSERS.github, once(file.text), options);
}

async function collect(chunks: Chunks, limit_bytes: number): Promise<{ readonly text: string } | BadLine> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const bytes of asBytes(chunks)) {
    length += bytes.length;
    if (length > limit_bytes) {
      return {
        ok: false,
        line: 1,
        code: 'TOO_LARGE',
        message: `is longer than ${limit_bytes} bytes`,
        path: '',
      };
    }
    parts.push(bytes);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  const text = decode(whole);
  // trimStart also drops a byte order mark, which counts as white space.
  return text === null ? badLine(1, '', 'is not valid UTF-8') : { text: text.trimStart() };
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}
