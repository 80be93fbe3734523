import { closeSync, fsync, openSync } from 'node:fs';
import { promisify } from 'node:util';

/** Waits, without holding anybody up, until what was written to an open file is on disk. */
export const synced = promisify(fsync);

/** The same for the names in a folder. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = openSync(folder, 'r');
  try {
    await synced(handle);
  } finally {
    closeSync(handle);
  }
}
