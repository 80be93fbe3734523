import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const SERVER = fileURLToPath(new URL('postgres-server.ts', import.meta.url));
/** How long a server may take to be set up on a busy machine, in ms. */
const START_ms = 90_000;

/** A database of its own, on the server that the environment names, else on one that this run starts when first asked. */
export interface TestDatabase {
  readonly url: string;
  /** Ends whoever is connected, and removes it. */
  drop(): Promise<void>;
}

export async function testDatabase(): Promise<TestDatabase> {
  const server = await serverUrl();
  const name = `signalbox_test_${randomBytes(6).toString('hex')}`;
  await administer(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => administer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The address of a server where databases can be created. */
export async function serverUrl(): Promise<string> {
  const { SIGNALBOX_TEST_DATABASE_URL: named, SIGNALBOX_TEST_RUN: run } = process.env;
  if (named) return named;
  if (!run) throw new Error('the folder of this test run is set by the global setup');
  if (isFirst(join(run, 'postgres.asked'))) {
    const starter = process.env['SIGNALBOX_TEST_MAIN'] ?? String(process.ppid);
    spawn(process.execPath, ['--import', 'tsx', SERVER, run, starter], {
      detached: true,
      stdio: 'ignore',
    }).unref();
  }
  for (let waited_ms = 0; waited_ms < START_ms; waited_ms += 50) {
    const started = await readFile(join(run, 'postgres.json'), 'utf8').catch(() => null);
    if (started) return (JSON.parse(started) as { url: string }).url;
    const failed = await readFile(join(run, 'postgres.failed'), 'utf8').catch(() => null);
    if (failed) throw new Error(`PostgreSQL did not start: ${failed}`);
    await sleep(50);
  }
  throw new Error(`PostgreSQL did not start within ${START_ms} ms`);
}

/** Test files run in several processes; one of them starts the server. */
function isFirst(marker: string): boolean {
  try {
    mkdirSync(marker);
    return true;
  } catch {
    return false;
  }
}
