import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serving } from '../http/serving.js';

const tools = ['curl', 'jq'].every((tool) => spawnSync(tool, ['--version']).status === 0);

// Skipped where curl or jq is not installed; CI installs both.
it.skipIf(!tools)(
  'the examples of docs/curl.md bring a work to DONE on a real server',
  { timeout: 120_000 },
  async () => {
    const here = await serving();
    const folder = await mkdtemp(join(tmpdir(), 'signalbox-curl-'));
    const text = await readFile('docs/curl.md', 'utf8');
    const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');
    // The first sets what only a reader can know; the rest runs as it stands, as one script.
    const [settings = '', ...examples] = blocks;
    expect(settings).toContain('export URL=');
    // A shell whose input is a socket takes itself for a remote one and reads the machine's own start file.
    const child = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', examples.join('\n')], {
      cwd: folder,
      env: {
        ...process.env,
        URL: here.url,
        OWNER: here.ownerToken,
        WORKER: await here.tokenOf('wanda', ['worker']),
        REVIEWER: await here.tokenOf('rita', ['reviewer']),
      },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^created\nREADY\n/);
    expect(stdout).toContain('VP_REVIEW\tfalse\nVP_REVIEW\ttrue\nALREADY_DECIDED\nVP_REVIEW\n');
    expect(stdout).toContain('Hello, Ada!MERGE_READY\nDONE\n');
    expect((await here.box.as('owner').show('hello-1')).status).toBe('DONE');
    await here.close();
    await rm(folder, { recursive: true, force: true });
  },
);
