import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

/** Problems listed at most. */
const LISTED = 20;

/**
 * Reads every page in a thread of its own, over a connection of its own, so that a working desk is not held up. In plain
 * JavaScript inside a string, so that it is the same whether the desk was built or runs from its sources.
 */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const Database = require(workerData.driver);
try {
  const database = new Database(workerData.file, { readonly: true, fileMustExist: true });
  const rows = database.pragma('integrity_check(' + workerData.listed + ')');
  database.close();
  parentPort.postMessage(rows.map((row) => row.integrity_check).filter((problem) => problem !== 'ok'));
} catch (error) {
  parentPort.postMessage([error.message]);
}`;

/** What SQLite finds wrong with its own file: pages, indexes, constraints. Empty where it is whole. */
export async function damageOf(file: string): Promise<readonly string[]> {
  const driver = createRequire(import.meta.url).resolve('better-sqlite3');
  const worker = new Worker(PROGRAM, { eval: true, workerData: { file, driver, listed: LISTED } });
  try {
    return await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
  } finally {
    await worker.terminate();
  }
}
