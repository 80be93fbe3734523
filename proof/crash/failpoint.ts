import fsp, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import Database from 'better-sqlite3';
import pg from 'pg';

/**
 * Loaded before the desk in a process of the proof (`--import`): stands between the desk and its drivers, counts every
 * step that leaves a trace on disk or in the server, and ends the process with SIGKILL at the one that CRASH_AT names.
 * The desk itself knows nothing of it. Without CRASH_AT it only counts.
 */
const crashAt = Number(process.env['CRASH_AT'] ?? 0);
const labels: string[] = [];

/** Something is about to reach the disk, or just has. Does not return where the process is to end. */
function step(label: string): void {
  labels.push(label);
  if (labels.length === crashAt) process.kill(process.pid, 'SIGKILL');
}

/** What the steps were, in order. */
export const stepsSoFar = (): readonly string[] => labels;

const BEGINS = /^\s*BEGIN\b/i;
const READS = /^\s*BEGIN\s*(;|$|ISOLATION LEVEL REPEATABLE READ READ ONLY)/i;
const ENDS = /^\s*(COMMIT|END)\b/i;
const CHANGES = /^\s*(INSERT|UPDATE|DELETE|BEGIN IMMEDIATE|CREATE|WITH)\b/i;
/** Connections in a transaction that only reads: its end leaves no trace. */
const reading = new WeakSet<object>();

/** @returns what to call it, or null for a statement that leaves no trace */
function traceOf(connection: object, text: string): string | null {
  if (BEGINS.test(text)) {
    if (READS.test(text)) reading.add(connection);
    else reading.delete(connection);
  }
  const leaves = ENDS.test(text) ? !reading.has(connection) : CHANGES.test(text);
  return leaves ? text.trim().split(/\s+/).slice(0, 3).join(' ') : null;
}

/** Before every statement that changes something, and on both sides of every commit. */
function around<T>(connection: object, text: string, run: () => T): T {
  const what = traceOf(connection, text);
  if (what === null) return run();
  step(`before ${what}`);
  const result = run();
  if (ENDS.test(text)) step(`after ${what}`);
  return result;
}

const database = Database.prototype;
// eslint-disable-next-line typescript/unbound-method -- called with the connection below
const { prepare, exec } = database;
database.prepare = function prepared(this: Database.Database, text: string) {
  const statement = prepare.call(this, text);
  const run = statement.run.bind(statement) as (...values: unknown[]) => Database.RunResult;
  statement.run = (...values: unknown[]) => around(this, text, () => run(...values));
  return statement;
} as typeof prepare;
database.exec = function executed(this: Database.Database, text: string) {
  return around(this, text, () => exec.call(this, text));
};

// eslint-disable-next-line typescript/unbound-method -- called with the client below
const query = pg.Client.prototype.query as (this: pg.Client, ...given: unknown[]) => unknown;
pg.Client.prototype.query = function asked(this: pg.Client, ...given: unknown[]) {
  const [first] = given as [string | { text?: string } | Flight | undefined];
  if (typeof first === 'object' && 'statements' in first) return flown(this, first);
  const text = typeof first === 'string' ? first : (first?.text ?? '');
  const what = traceOf(this, text);
  if (what === null) return query.call(this, ...given);
  step(`before ${what}`);
  const result = query.call(this, ...given);
  if (!ENDS.test(text)) return result;
  // On its way, and nobody here knows whether it arrived.
  step(`sent ${what}`);
  return (result as Promise<unknown>).then((answer) => {
    step(`after ${what}`);
    return answer;
  });
} as typeof pg.Client.prototype.query;

/** What the desk's store sends in one round trip. */
interface Flight {
  readonly statements: readonly { readonly text: string }[];
  handleReadyForQuery: () => void;
}

/** On both sides of a flight that changes something; where it commits, also while its answer is on the way. */
function flown(client: pg.Client, flight: Flight): unknown {
  const texts = flight.statements.map(({ text }) => text);
  const what = texts.map((text) => traceOf(client, text)).findLast((trace) => trace !== null);
  if (what === undefined) return query.call(client, flight);
  step(`before ${what}`);
  if (texts.some((text) => ENDS.test(text))) {
    const told = flight.handleReadyForQuery.bind(flight);
    flight.handleReadyForQuery = () => {
      step(`after ${what}`);
      told();
    };
  }
  const result = query.call(client, flight);
  step(`sent ${what}`);
  return result;
}

const named = (path: unknown): string => String(path).split('/').at(-2) ?? '';

const { open, rename } = fsp;
let patched = false;
fsp.open = async (...args: Parameters<typeof open>) => {
  const handle = await open(...args);
  if (!patched) patchHandles(Object.getPrototypeOf(handle) as FileHandle);
  return handle;
};
fsp.rename = async (from, to) => {
  step(`before rename into ${named(to)}`);
  await rename(from, to);
  step('after rename');
};

/** A file is written in two halves, so that a crash leaves half of it. */
function patchHandles(prototype: FileHandle): void {
  patched = true;
  // eslint-disable-next-line typescript/unbound-method -- called with the handle below
  const { writeFile, sync } = prototype;
  prototype.writeFile = async function written(this: FileHandle, data, ...rest) {
    if (typeof data !== 'string' && !(data instanceof Uint8Array))
      return await writeFile.call(this, data, ...rest);
    const bytes = Buffer.from(data as Uint8Array);
    const half = Math.floor(bytes.length / 2);
    step('before a write');
    await writeFile.call(this, bytes.subarray(0, half));
    step('half of a write');
    await writeFile.call(this, bytes.subarray(half));
  };
  prototype.sync = async function synced(this: FileHandle) {
    step('before fsync');
    await sync.call(this);
    step('after fsync');
  };
}
syncBuiltinESMExports();
