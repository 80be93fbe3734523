import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Refusal } from '../core/refusals.js';
import { StoreError } from './store.js';

/** Below this a write that failed is taken for a full disk. */
const FULL_bytes = 1_048_576;

const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
};

const RESTORE =
  'keep a copy of the folder, then restore the last backup into an empty one ("signalbox restore")';

/** What opening a SQLite file failed with, as something that its user can act on. */
export function openingFailed(file: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  return new StoreError(`cannot open ${file}: ${explained(file, error)}`, { cause: error });
}

/** What the database says that is not about the statement but about its file. */
const ABOUT_THE_FILE = [
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
  'SQLITE_READONLY',
  'SQLITE_CANTOPEN',
  'SQLITE_IOERR',
];

/**
 * What a transaction failed with: a refusal where the same request may be sent again, a StoreError where somebody has
 * to do something first, and what the work itself threw as it is.
 */
export function transactionFailed(file: string, error: unknown): unknown {
  const code = codeOf(error);
  if (isBusy(error)) return new Refusal('BUSY', 'another process is writing; nothing was changed');
  if (code === 'SQLITE_FULL' || (code.startsWith('SQLITE_IOERR') && isFull(file)))
    return new Refusal('BUSY', 'the disk is full; nothing was changed');
  return ABOUT_THE_FILE.some((each) => code.startsWith(each))
    ? new StoreError(`${file}: ${explained(file, error)}`, { cause: error })
    : error;
}

/** Whether another connection is at a transaction. */
export const isBusy = (error: unknown): boolean => codeOf(error).startsWith('SQLITE_BUSY');

function explained(file: string, error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  const code = codeOf(error);
  if (code === 'SQLITE_NOTADB')
    return `${said}. It is no database of Signalbox, or its beginning was overwritten: name another folder, or ${RESTORE}`;
  if (code.startsWith('SQLITE_CORRUPT')) return `${said}. The file is damaged: stop the desk, ${RESTORE}`;
  if (code.startsWith('SQLITE_READONLY'))
    return `${said}. Make the file and its folder writable for this user`;
  if (code === 'SQLITE_FULL' || isFull(file))
    return `${said}. The disk is full: free some space and try again`;
  if (code.startsWith('SQLITE_CANTOPEN'))
    return `${said}. The folder must be there and writable for this user, also for the -wal and -shm files beside the database`;
  if (code.startsWith('SQLITE_IOERR'))
    return `${said}. The disk does not read or write: look at the system's log`;
  return said;
}

function isFull(file: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(file));
    return bavail * bsize < FULL_bytes;
  } catch {
    return false;
  }
}
