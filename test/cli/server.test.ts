import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dataFolder, MAIN, signalbox, start, withoutTheDesk, type Folder } from './command.js';

let folder: Folder;
let server: ChildProcess;
// oxlint-disable-next-line typescript/no-explicit-any
let started: any;

async function firstAnswer(child: ChildProcess): Promise<unknown> {
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk);
    if (text.endsWith('}\n')) break;
  }
  return JSON.parse(text);
}

beforeAll(async () => {
  folder = await dataFolder();
  server = start(['start', '--port', '0', '--data', folder.path, '--json']);
  started = await firstAnswer(server);
});
afterAll(async () => {
  server.kill('SIGKILL');
  await folder.remove();
});

it('start tells its address and a link that signs in once', async () => {
  expect(started).toMatchObject({ pid: server.pid, dataFolder: folder.path });
  expect(started.signInUrl).toContain(`${started.url}/sign-in?code=`);
  expect((await fetch(`${started.url}/healthz`)).status).toBe(200);
});

it('verbs find the running server of their folder and speak to it', async () => {
  const { run } = folder;
  expect((await run(['register', '--work-id', 'S-1', '--input', '{}'])).json.outcome).toBe('created');
  expect((await run(['promote', 'S-1', '--reason', 'ours'])).json.work.status).toBe('READY');
  await run(['principal', 'add', 'alice', '--role', 'worker']);
  const { token } = (await run(['token', 'create', 'alice'])).json;
  const asAlice = await run(['claim', 'S-1'], { env: { SIGNALBOX_TOKEN: token } });
  expect(asAlice.json.work.holder).toBe('alice');
  const forbidden = await run(['hold', 'S-1', '--reason', 'x'], { env: { SIGNALBOX_TOKEN: token } });
  expect(forbidden).toMatchObject({ code: 1, json: { error: { code: 'FORBIDDEN' } } });
  const elsewhere = await signalbox(['show', 'S-1', '--json'], {
    env: { SIGNALBOX_URL: started.url, SIGNALBOX_TOKEN: token, SIGNALBOX_DATA: join(folder.path, 'none') },
  });
  expect(elsewhere.json.status).toBe('IN_PROGRESS');
}, 60_000);

it('--as works beside the server of the folder, and is refused at a server elsewhere', async () => {
  const beside = await folder.run(['renew', 'S-1', '--interrupt', 'old', '--as', 'alice']);
  expect(beside).toMatchObject({ code: 1, json: { error: { code: 'STALE_INTERRUPT' } } });
  const env = { SIGNALBOX_URL: 'http://127.0.0.1:1', SIGNALBOX_TOKEN: 'x' };
  const wrong = await folder.run(['list', '--as', 'alice'], { env });
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('signalbox token create');
});

it("the folder's token is not sent to a server that is not the folder's", async () => {
  const other = await folder.run(['list'], { env: { SIGNALBOX_URL: 'http://127.0.0.1:1' } });
  expect(other.code).toBe(2);
  expect(other.stderr).toContain('SIGNALBOX_TOKEN');
});

it('a port that is taken cannot be served at', async () => {
  const { port } = new URL(started.url);
  const second = await signalbox(['start', '--port', port, '--data', join(folder.path, 'other')]);
  expect(second.code).toBe(3);
  expect(second.stderr).toContain(port);
}, 60_000);

it('a reader that goes away is no failure', async () => {
  const child = spawn(
    'sh',
    ['-c', `"${process.execPath}" ${MAIN} history S-1 | true; echo "\${PIPESTATUS:-0}"`],
    {
      env: { ...process.env, SIGNALBOX_DATA: folder.path },
    },
  );
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  await once(child, 'close');
  expect(stderr).toBe('');
});

it('a verb through a server loads nothing of the desk, so that it answers at once', async () => {
  expect(await folder.run(['list'], { node: withoutTheDesk() })).toMatchObject({ code: 0, stderr: '' });
  const own = join(folder.path, 'other');
  const founding = await folder.run(['kinds', '--data', own], { node: withoutTheDesk() });
  // A folder that is opened does load it: the trap works.
  expect(founding.stderr).toContain('loads ');
}, 60_000);

it('SIGTERM ends it gracefully, with its address withdrawn and its work kept', async () => {
  const closed = once(server, 'close');
  server.kill('SIGTERM');
  expect((await closed)[0]).toBe(0);
  expect(existsSync(join(folder.path, 'server.json'))).toBe(false);
  expect((await folder.run(['show', 'S-1'])).json.holder).toBe('alice');
}, 60_000);
