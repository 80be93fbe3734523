import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMMAND_LIMITS } from '../../src/nodes/run-command.js';
import { isAlive, privateTmp, sh, validate } from './validating.js';

let tmp: Awaited<ReturnType<typeof privateTmp>>;
beforeEach(async () => {
  tmp = await privateTmp();
});
afterEach(async () => {
  const left = await tmp.left();
  await tmp.restore();
  // Whatever a test did: no folder may stay behind.
  if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`);
});

/** The process ID that a script wrote, as soon as it has. */
async function pidIn(path: string): Promise<number> {
  for (;;) {
    const text = existsSync(path) ? await readFile(path, 'utf8') : '';
    if (text.endsWith('\n')) return Number(text);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function gone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (!(await isAlive(pid))) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return false;
}

describe('a command validator', () => {
  it('is given input and artifact as files in a fresh folder of its own', async () => {
    const script =
      'cat "$SIGNALBOX_INPUT" input.json; echo; cat "$SIGNALBOX_ARTIFACT" artifact; echo; ls; pwd; echo "$TMPDIR $SIGNALBOX_HEAD_SHA"; exit 1';
    const headSha = 'c'.repeat(40);
    const result = await validate(
      { validators: [sh(script)] },
      { text: 'bytes', headSha },
      { input: { a: 1 } },
    );
    const lines = result.outcome === 'findings' ? (result.findings[0]?.message ?? '').split('\n') : [];
    expect(lines.slice(0, 4)).toEqual(['{"a":1}{"a":1}', 'bytesbytes', 'artifact', 'input.json']);
    expect(lines[4]).toMatch(/signalbox-validate-/);
    expect(lines[5]).toBe(`${lines[4] ?? ''} ${headSha}`);
  });

  it('gets the bytes unchanged', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const validators = [
      {
        type: 'command',
        command: [
          'node',
          '-e',
          'const b=require("fs").readFileSync("artifact");process.exit(b.length===256&&b.every((v,i)=>v===i)?0:1)',
        ],
      },
    ] as const;
    expect(await validate({ validators }, { bytes })).toEqual({ outcome: 'passed' });
  });

  it('has nothing on its standard input', async () => {
    expect(await validate({ validators: [sh('test -z "$(cat)"', { timeLimit_ms: 5000 })] }, {})).toEqual({
      outcome: 'passed',
    });
  });

  it('is no shell line: its arguments arrive as they are', async () => {
    const validators = [
      {
        type: 'command',
        command: ['node', '-e', 'console.log(process.argv[1]); process.exit(1)', '$HOME; `id` *'],
      },
    ] as const;
    expect(await validate({ validators }, {})).toMatchObject({ findings: [{ message: '$HOME; `id` *' }] });
  });

  it('does not see the server’s tokens, its database, nor git settings', async () => {
    process.env['SIGNALBOX_TOKEN'] = 'secret';
    process.env['GIT_DIR'] = '/elsewhere';
    try {
      const result = await validate({ validators: [sh('env; exit 1')] }, {});
      expect(JSON.stringify(result)).not.toMatch(/SIGNALBOX_TOKEN|GIT_DIR/);
      expect(JSON.stringify(result)).toContain('PATH=');
    } finally {
      delete process.env['SIGNALBOX_TOKEN'];
      delete process.env['GIT_DIR'];
    }
  });

  it('has what it printed kept as the finding, standard error too, without colours and control characters', async () => {
    const result = await validate(
      {
        validators: [
          sh(`printf 'out\\n'; sleep 0.05; printf '\\033[31mred\\033[0m\\000\\a\\n' >&2; exit 1`, {
            name: 'lint',
          }),
        ],
      },
      {},
    );
    expect(result).toEqual({
      outcome: 'findings',
      findings: [{ validator: 'lint', path: '', message: 'out\nred' }],
      log: 'lint:\nout\nred',
    });
  });

  it('that finds something and prints nothing still gives a finding', async () => {
    expect(await validate({ validators: [sh('exit 1')] }, {})).toMatchObject({
      findings: [{ message: 'ended with exit code 1 and said nothing' }],
    });
  });

  it('says with which exit codes it finds something', async () => {
    const validators = [sh('exit 3', { findingExitCodes: [3, 4] })];
    expect((await validate({ validators }, {})).outcome).toBe('findings');
    expect((await validate({ validators: [sh('exit 1', { findingExitCodes: [3, 4] })] }, {})).outcome).toBe(
      'failed',
    );
  });

  it('has its output kept up to a limit, and is read to its end', async () => {
    const script = `node -e 'process.stdout.write("é".repeat(5_000_000))'; exit 1`;
    const result = await validate({ validators: [sh(script)] }, {});
    if (result.outcome !== 'findings') throw new Error(result.outcome);
    expect(Buffer.byteLength(result.log ?? '')).toBeLessThan(COMMAND_LIMITS.output_bytes + 200);
    expect(result.log).toMatch(/\[9934464 more bytes of output were dropped\]$/);
    expect(result.findings[0]?.message.length).toBeLessThanOrEqual(4_000);
  });
});

describe('a command validator that itself fails', () => {
  it.each([
    ['another exit code', sh('echo broken; exit 2'), /exit code 2/, 'broken'],
    ['a signal', sh('kill -TERM $$'), /killed by SIGTERM/, ''],
    [
      'a program that is not there',
      { type: 'command', command: ['no-such-program-anywhere'] } as const,
      /could not be started: .*ENOENT/,
      '',
    ],
    [
      'a program that may not be run',
      { type: 'command', command: ['/etc'] } as const,
      /could not be started: .*EACCES/,
      '',
    ],
  ])('through %s, says so and keeps the output', async (_what, validator, message, log) => {
    expect(await validate({ validators: [validator] }, {})).toEqual({
      outcome: 'failed',
      validator: 'command',
      message: expect.stringMatching(message) as string,
      log,
    });
  });

  it('is tried again in a fresh folder with the same input, so often and no more', async () => {
    const notes = join(tmp.folder, 'attempts');
    const script = `cat artifact >> ${notes}; ls | wc -l >> ${notes}; echo spoilt > artifact; touch more; exit 9`;
    expect(await validate({ validators: [sh(script)], validatorRetries: 2 }, { text: 'a' })).toMatchObject({
      outcome: 'failed',
    });
    expect((await readFile(notes, 'utf8')).replaceAll(' ', '')).toBe('a2\n'.repeat(3));
  });

  it('passes when a later attempt does', async () => {
    const notes = join(tmp.folder, 'attempts');
    expect(
      await validate(
        {
          validators: [sh(`echo x >> ${notes}; test $(wc -l < ${notes}) = 2 || exit 9`)],
          validatorRetries: 2,
        },
        {},
      ),
    ).toEqual({ outcome: 'passed' });
  });

  it('that finds something is not tried again', async () => {
    const notes = join(tmp.folder, 'attempts');
    await validate({ validators: [sh(`echo x >> ${notes}; exit 1`)], validatorRetries: 2 }, {});
    expect(await readFile(notes, 'utf8')).toBe('x\n');
  });

  it('hides no finding of an earlier one', async () => {
    const validators = [sh('echo wrong; exit 1', { name: 'first' }), sh('exit 9', { name: 'second' })];
    expect(await validate({ validators }, {})).toMatchObject({
      outcome: 'findings',
      findings: [{ validator: 'first', message: 'wrong' }],
    });
  });

  it('because the temporary folder is gone, is reported and not thrown', async () => {
    process.env['TMPDIR'] = '/no/such/folder';
    try {
      expect(await validate({ validators: [sh('exit 0')] }, {})).toMatchObject({
        outcome: 'failed',
        message: expect.stringContaining('ENOENT') as string,
      });
    } finally {
      process.env['TMPDIR'] = tmp.folder;
    }
  });
});

describe('the processes of a command validator', () => {
  it('are killed with their children and grandchildren when the time is up, though they ignore signals', async () => {
    const pids = ['child', 'grandchild'].map((name) => join(tmp.folder, name));
    const script = `trap '' TERM INT HUP; echo before; (trap '' TERM; (trap '' TERM; sh -c 'echo $PPID' > ${pids[1]}; sleep 60; true) & sh -c 'echo $PPID' > ${pids[0]}; sleep 60; true) & wait`;
    const started = performance.now();
    const result = await validate({ validators: [sh(script, { timeLimit_ms: 500 })] }, {});
    expect(result).toEqual({
      outcome: 'failed',
      validator: 'command',
      message: 'did not end within 500 ms and was killed',
      log: 'before',
    });
    expect(performance.now() - started).toBeLessThan(5_000);
    for (const path of pids) expect(await gone(await pidIn(path))).toBe(true);
  });

  it('left in the background by one that passed are killed, and their open pipe holds nobody up', async () => {
    const path = join(tmp.folder, 'background');
    const started = performance.now();
    expect(await validate({ validators: [sh(`sleep 60 & echo $! > ${path}`)] }, {})).toEqual({
      outcome: 'passed',
    });
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(await gone(await pidIn(path))).toBe(true);
  });

  it('that moved to a session of their own do not hold the verdict up', async () => {
    const path = join(tmp.folder, 'escaped');
    const started = performance.now();
    expect(
      await validate(
        {
          validators: [
            sh(
              `setsid sh -c 'echo $$ > ${path}; exec sleep 20' & while [ ! -s ${path} ]; do sleep 0.01; done`,
            ),
          ],
        },
        {},
      ),
    ).toEqual({ outcome: 'passed' });
    expect(performance.now() - started).toBeLessThan(5_000);
    process.kill(await pidIn(path), 'SIGKILL');
  });

  it('that print without end are ended by the time limit', async () => {
    const result = await validate({ validators: [sh('yes', { timeLimit_ms: 300 })] }, {});
    expect(result).toMatchObject({ outcome: 'failed', message: 'did not end within 300 ms and was killed' });
    expect(result.outcome === 'failed' && result.log.length).toBeLessThan(COMMAND_LIMITS.output_bytes + 200);
  });

  it('are killed when the desk shuts down, which is no verdict', async () => {
    const path = join(tmp.folder, 'pid');
    const abort = new AbortController();
    const running = validate(
      { validators: [sh(`echo $$ > ${path}; sleep 60`)], validatorRetries: 2 },
      {},
      { signal: abort.signal },
    );
    const pid = await pidIn(path);
    abort.abort(new Error('shutting down'));
    await expect(running).rejects.toThrow('shutting down');
    expect(await gone(pid)).toBe(true);
  });

  it('are not even started when the desk is shutting down already', async () => {
    const signal = AbortSignal.abort(new Error('shutting down'));
    await expect(validate({ validators: [sh('exit 0')] }, {}, { signal })).rejects.toThrow('shutting down');
  });
});

it('the folder of a validator is removed though it holds folders that may not be written', async () => {
  expect(
    await validate({ validators: [sh('mkdir -p deep/er; touch deep/er/file; chmod 500 deep/er deep')] }, {}),
  ).toEqual({ outcome: 'passed' });
});

it('a program beside the config is run by its path', async () => {
  const program = join(tmp.folder, 'tools', 'check');
  await mkdir(join(tmp.folder, 'tools'));
  await writeFile(program, '#!/bin/sh\ngrep -q good artifact\n');
  await chmod(program, 0o755);
  const validators = [{ type: 'command', command: [program] }] as const;
  expect(await validate({ validators }, { text: 'good' })).toEqual({ outcome: 'passed' });
  expect((await validate({ validators }, { text: 'bad' })).outcome).toBe('findings');
});
