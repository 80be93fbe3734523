import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/kind.js';
import { codeChange } from '../../src/kinds/code-change.js';
import { runValidators } from '../../src/nodes/run-validators.js';

let folder: string;
let repository: string;
let commit: string;

function git(at: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid'];
  return execFileSync('git', ['-C', at, ...identity, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-commit-test-'));
  repository = join(folder, 'repository');
  await mkdir(repository);
  git(repository, 'init', '--quiet');
  await writeFile(join(repository, 'file'), 'content');
  git(repository, 'add', 'file');
  git(repository, 'commit', '--quiet', '--message', 'first');
  commit = git(repository, 'rev-parse', 'HEAD');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Validates with the shipped kind, without its retries. */
const validate = (headSha: string, repositoryPath?: Json) =>
  runValidators({
    kind: { ...codeChange, validatorRetries: 0 },
    input: { repository: 'a/b', issueNumber: 1, ...(repositoryPath !== undefined && { repositoryPath }) },
    artifact: { bytes: new Uint8Array(), mediaType: 'text/x-diff', headSha },
  });

describe('a commit', () => {
  it('that is in the repository passes', async () => {
    expect(await validate(commit, repository)).toEqual({ outcome: 'passed' });
  });

  it('is looked up through a symbolic link and in a bare repository too', async () => {
    const link = join(folder, 'link');
    const bare = join(folder, 'bare.git');
    await symlink(repository, link);
    git(folder, 'clone', '--quiet', '--bare', repository, bare);
    expect(await validate(commit, link)).toEqual({ outcome: 'passed' });
    expect(await validate(commit, bare)).toEqual({ outcome: 'passed' });
  });

  it('that is not there is a finding', async () => {
    const headSha = '0123456789'.repeat(4);
    expect(await validate(headSha, repository)).toEqual({
      outcome: 'findings',
      findings: [
        {
          validator: 'commit',
          path: '',
          message: `${headSha} is not a commit of the repository ${repository}`,
        },
      ],
    });
  });

  it('is taken at its word where the input names no repository on this machine', async () => {
    expect(await validate('d'.repeat(40))).toEqual({ outcome: 'passed' });
  });

  it('must be a commit: the name of a tree or a file is a finding', async () => {
    for (const object of ['HEAD^{tree}', 'HEAD:file']) {
      expect((await validate(git(repository, 'rev-parse', object), repository)).outcome).toBe('findings');
    }
  });

  it('is not found through a branch whose name looks like one', async () => {
    const name = 'e'.repeat(64);
    git(repository, 'update-ref', `refs/heads/${name}`, commit);
    expect((await validate(name, repository)).outcome).toBe('findings');
  });

  it('that a replacement pretends to is a finding', async () => {
    const headSha = 'f'.repeat(40);
    git(repository, 'update-ref', `refs/replace/${headSha}`, commit);
    expect((await validate(headSha, repository)).outcome).toBe('findings');
  });

  it('of SHA-256 is known by its whole name, not by the first 40 digits', async () => {
    const modern = join(folder, 'sha256');
    await mkdir(modern);
    git(modern, 'init', '--quiet', '--object-format=sha256');
    git(modern, 'commit', '--quiet', '--allow-empty', '--message', 'first');
    const long = git(modern, 'rev-parse', 'HEAD');
    expect(await validate(long, modern)).toEqual({ outcome: 'passed' });
    expect((await validate(long.slice(0, 40), modern)).outcome).toBe('findings');
  });
});

describe('a repository that cannot be asked is a failed validator', () => {
  it.each([
    ['a path where nothing is', () => join(folder, 'nowhere'), /no repository at .*ENOENT/],
    ['a file', () => join(repository, 'file'), /is not a folder/],
    ['a relative path', () => 'repository', /must be the absolute path/],
    ['a number', () => 7, /must be the absolute path/],
    ['a path that looks like an option', () => '--git-dir=/x', /must be the absolute path/],
  ])('%s', async (_what, path, message) => {
    expect(await validate(commit, path())).toMatchObject({
      outcome: 'failed',
      validator: 'commit',
      message: expect.stringMatching(message) as string,
    });
  });

  it('a folder inside a repository, which is not that repository', async () => {
    const inside = join(repository, 'inside');
    await mkdir(inside);
    expect(await validate(commit, inside)).toMatchObject({
      outcome: 'failed',
      log: expect.stringContaining('not a git repository') as string,
    });
  });

  it('an empty folder, though the server itself runs with GIT_DIR set', async () => {
    const empty = join(folder, 'empty');
    await mkdir(empty);
    process.env['GIT_DIR'] = join(repository, '.git');
    try {
      expect(await validate(commit, empty)).toMatchObject({ outcome: 'failed' });
    } finally {
      delete process.env['GIT_DIR'];
    }
  });
});

it('looking into a stranger’s repository runs nothing that its config names', async () => {
  const trap = join(folder, 'trap');
  const sprung = join(folder, 'sprung');
  const script = join(folder, 'trap.sh');
  await writeFile(script, `#!/bin/sh\ntouch ${sprung}\n`, { mode: 0o755 });
  await mkdir(trap);
  git(trap, 'init', '--quiet');
  // A partial clone fetches what it misses, with the program that its config names.
  const settings = {
    'remote.origin.url': repository,
    'remote.origin.promisor': 'true',
    'remote.origin.uploadpack': script,
    'remote.origin.partialclonefilter': 'blob:none',
    'extensions.partialClone': 'origin',
    'core.repositoryformatversion': '1',
    'core.fsmonitor': script,
  };
  for (const [name, value] of Object.entries(settings)) git(trap, 'config', name, value);
  await validate('0'.repeat(39) + '1', trap);
  expect(existsSync(sprung)).toBe(false);
  // The trap is a real one: git by itself steps into it.
  try {
    git(trap, 'cat-file', '-e', '0'.repeat(39) + '1');
  } catch {
    // It cannot succeed; what counts is what it ran.
  }
  expect(existsSync(sprung)).toBe(true);
});
