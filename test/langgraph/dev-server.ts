import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@langchain/langgraph-sdk';

export interface DevServer {
  readonly url: string;
  readonly client: Client;
  /** What the server has printed. */
  readonly output: () => string;
  close(): Promise<void>;
}

/** Starting compiles the sources and the machine may be busy. */
const START_LIMIT_MS = 90_000;

/** The real `langgraphjs dev`, on the project's own langgraph.json, with its files in a folder of its own. */
export async function devServer(): Promise<DevServer> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-studio-'));
  const port = await freePort();
  // The server keeps its files beside its config, so the project is shown to it in a folder of the test's own.
  for (const name of ['src', 'node_modules', 'package.json', 'tsconfig.json'])
    await symlink(resolve(name), join(folder, name));
  await copyFile('langgraph.json', join(folder, 'langgraph.json'));
  const child = spawn(
    process.execPath,
    [
      resolve('node_modules/@langchain/langgraph-cli/dist/cli/cli.mjs'),
      'dev',
      '--no-browser',
      '--no-reload',
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--config',
      join(folder, 'langgraph.json'),
    ],
    {
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        LANGGRAPH_CLI_NO_ANALYTICS: '1',
        LANGSMITH_TRACING: 'false',
        SIGNALBOX_DATA: join(folder, 'data'),
      },
    },
  );
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += String(chunk)));
  const url = `http://127.0.0.1:${port}`;
  const server: DevServer = {
    url,
    client: new Client({ apiUrl: url, apiKey: null, callerOptions: { maxRetries: 0 } }),
    output: () => printed,
    async close() {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
      // The command starts a second process that serves; both are in the group that was made for them.
      if (child.pid !== undefined) endGroup(child.pid);
      await ended;
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
  for (const until = Date.now() + START_LIMIT_MS; ; await pause(100)) {
    const answered = await fetch(`${url}/ok`).then(
      (response) => response.ok,
      () => false,
    );
    if (answered) return server;
    if (Date.now() > until || child.exitCode !== null) {
      await server.close();
      throw new Error(`the dev server did not start:\n${printed}`);
    }
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
