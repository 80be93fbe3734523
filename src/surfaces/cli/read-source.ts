import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { UsageError } from './failures.js';

/**
 * The bytes of a file, or of stdin for `-`, as they come.
 * @throws UsageError when the file cannot be read
 */
export async function* readSource(path: string): AsyncGenerator<Uint8Array> {
  const stream = path === '-' ? process.stdin : createReadStream(path);
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** The text of a file, or of stdin for `-`. @throws UsageError when it cannot be read */
export async function readText(path: string): Promise<string> {
  if (path !== '-') {
    return await readFile(path, 'utf8').catch((error: unknown) => {
      throw unreadable(path, error);
    });
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of readSource(path)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.txt': 'text/plain',
  '.csv': 'text/csv',
  '.html': 'text/html',
  '.diff': 'text/x-diff',
  '.patch': 'text/x-diff',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
};

/** What a file holds, by the end of its name. */
export function mediaTypeOf(path: string): string {
  return MEDIA_TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
}

function unreadable(path: string, error: unknown): UsageError {
  const { code, message } = error as NodeJS.ErrnoException;
  const why: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file',
    EISDIR: 'it is a folder',
    EACCES: 'this user may not read it',
  };
  return new UsageError(`cannot read ${path}: ${why[code ?? ''] ?? message}`);
}
