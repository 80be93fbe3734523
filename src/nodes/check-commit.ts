import { realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { at } from '../core/identity.js';
import type { Json } from '../core/kind.js';
import { environmentWithout, runCommand } from './run-command.js';

/** How long git may take to say whether it has a commit. */
export const GIT_TIME_LIMIT_MS = 30_000;

export interface CommitQuestion {
  readonly input: Json;
  /** JSON Pointer to the repository's absolute path in the input; nothing there means that it is not looked up. */
  readonly repositoryField: string;
  /** Already known to be 40 or 64 hexadecimal digits; undefined where a kind does not ask for one and none was given. */
  readonly headSha: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type CommitAnswer =
  | { readonly outcome: 'passed' }
  | { readonly outcome: 'finding'; readonly message: string }
  | { readonly outcome: 'failed'; readonly message: string; readonly log: string };

/**
 * Asks git whether the commit is in the repository. Not there is a finding; a repository that is missing, not ours
 * to read or broken is a failed validator, since nothing was learned of the artifact. Rejects only on abort.
 */
export async function checkCommit({
  input,
  repositoryField,
  headSha,
  signal,
}: CommitQuestion): Promise<CommitAnswer> {
  const path = at(input, repositoryField);
  if (headSha === undefined || path === undefined || path === null) return { outcome: 'passed' };
  if (typeof path !== 'string' || !isAbsolute(path))
    return failed(`the input's ${repositoryField} must be the absolute path of a repository`);
  let folder: string;
  try {
    folder = await realpath(path);
    if (!(await stat(folder)).isDirectory()) return failed(`${path} is not a folder`);
  } catch (error) {
    return failed(
      `there is no repository at ${path} (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
    );
  }

  const end = await runCommand({
    // Peeling to a commit reads the object, so this is `cat-file -e` that also tells "not there" (1) from "no repository" (128).
    argv: [
      'git',
      '-C',
      folder,
      'rev-parse',
      '--verify',
      '--quiet',
      '--end-of-options',
      `${headSha}^{commit}`,
    ],
    folder: '/',
    env: gitEnvironment(folder),
    timeLimit_ms: GIT_TIME_LIMIT_MS,
    signal,
  });
  if (end.how === 'not_started') return failed(`git could not be started (${end.reason})`);
  if (end.how === 'time_limit')
    return failed(`git gave no answer within ${GIT_TIME_LIMIT_MS} ms`, end.output);
  if (end.how === 'killed') return failed(`git was killed by ${end.by}`, end.output);
  // The name must come back as it went in: 40 digits could also be a branch, or the start of a SHA-256 name.
  if (end.code === 0 && end.output.split('\n').includes(headSha)) return { outcome: 'passed' };
  if (end.code === 0 || end.code === 1)
    return { outcome: 'finding', message: `${headSha} is not a commit of the repository ${path}` };
  return failed(`git could not read the repository ${path}`, end.output);
}

/**
 * The path comes from an input, so the repository may be anybody's. Looking must not run what its config names:
 * no fetch of missing objects over any protocol, no replaced objects, no search for a repository in folders above.
 */
function gitEnvironment(folder: string): Record<string, string> {
  return {
    ...environmentWithout(['GIT_', 'SIGNALBOX_']),
    GIT_CEILING_DIRECTORIES: dirname(folder),
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
}

function failed(message: string, log = ''): CommitAnswer {
  return { outcome: 'failed', message, log };
}
