import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, it, vi } from 'vitest';
import { MAIN } from '../cli/command.js';
import { serving } from '../http/serving.js';

const SECRET = `whsec_${Buffer.from('a secret of the test desk').toString('base64')}`;
const TIME_ms = 240_000;
const tools = ['curl', 'jq'].every((tool) => spawnSync(tool, ['--version']).status === 0);

interface Told {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An origin that takes every decision and keeps what it was sent. */
async function origin() {
  const told: Told[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      told.push({ headers: request.headers, body });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening);
  });
  return { told, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/decisions` };
}

afterEach(() => vi.unstubAllEnvs());

// Skipped where curl or jq is not installed; CI installs both.
it.skipIf(!tools)(
  'the examples of docs/workbasket.md raise, claim and decide on a real server, and the origin is told as they say',
  { timeout: TIME_ms },
  async () => {
    vi.stubEnv('ORDERING_SECRET', SECRET);
    const ordering = await origin();
    const here = await serving({
      cases: {
        origins: { ordering: { type: 'webhook', url: ordering.url, secretEnv: 'ORDERING_SECRET' } },
      },
    });
    const folder = await mkdtemp(join(tmpdir(), 'signalbox-workbasket-'));
    const program = `#!/bin/sh\nexec '${process.execPath}' '${resolve(MAIN)}' "$@"\n`;
    await writeFile(join(folder, 'signalbox'), program, { mode: 0o755 });
    const text = await readFile('docs/workbasket.md', 'utf8');
    const blocks = (language: string) =>
      [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
        (match) => match[1] ?? '',
      );
    // The first sets what only a reader can know; the rest runs as it stands, as one script.
    const [settings = '', ...examples] = blocks('sh');
    expect(settings).toContain('export URL=');
    // A shell whose input is a socket takes itself for a remote one and reads the machine's own start file.
    const child = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', examples.join('\n')], {
      cwd: folder,
      env: {
        ...process.env,
        PATH: `${folder}:${process.env['PATH'] ?? ''}`,
        URL: here.url,
        SIGNALBOX_URL: here.url,
        SCOUT: await here.tokenOf('ai', ['scout']),
        WORKER: await here.tokenOf('wanda', ['worker']),
      },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('created\tREADY\t1\nexisting\tREADY\t2\nREADY\t\n');
    expect(stdout).toContain('Price differs from the quote\tREADY\n["quote",{"total":17}]\nMERGE_READY\n');
    expect(stdout, 'by the command line too').toMatch(/MERGE_READY\n$/);

    await vi.waitFor(() => expect(ordering.told).toHaveLength(2), { timeout: TIME_ms / 2, interval: 50 });
    const first = ordering.told.find(({ body }) => body.includes('price-17'));
    const body = first?.body ?? '';
    const sent = new Webhook(SECRET).verify(body, first?.headers as Record<string, string>);
    const shown = JSON.parse(/\n(\{[\s\S]*\})/.exec(blocks('http')[0] ?? '')?.[1] ?? '') as object;
    const own = (decisionId: string) => ({
      workId: expect.any(String) as string,
      decidedAt: expect.any(String) as string,
      decisionId,
    });
    expect(sent).toEqual({ ...shown, ...own(String(first?.headers['webhook-id'])) });
    expect((await here.box.as('owner').list({})).total).toBe(2);
    await here.close();
    ordering.server.close();
    await rm(folder, { recursive: true, force: true });
  },
);
