import { setTimeout as pause } from 'node:timers/promises';
import type { Json, Kind, ValidatorSpec } from '../core/kind.js';
import { LIMITS } from '../core/limits.js';
import type { Finding } from '../core/work.js';
import { checkArtifact, ValidatorBroken, type ArtifactContent } from './check-artifact.js';
import { checkCommit } from './check-commit.js';
import { cleanText, runCommand } from './run-command.js';
import { inValidationFolder } from './validation-folder.js';

/** Pause before an attempt is repeated, in milliseconds, times the attempts made. */
const RETRY_PAUSE_MS = 100;

export interface ValidationRequest {
  readonly kind: Pick<
    Kind,
    'artifactMediaType' | 'artifactCheck' | 'requiresHeadSha' | 'validators' | 'validatorRetries'
  >;
  readonly input: Json;
  readonly artifact: ArtifactContent;
  readonly signal?: AbortSignal | undefined;
}

/** `findings`: the artifact is wrong. `failed`: a validator could not do its work, which says nothing of the artifact. */
export type ValidationOutcome =
  | { readonly outcome: 'passed' }
  | { readonly outcome: 'findings'; readonly findings: readonly Finding[]; readonly log?: string }
  | {
      readonly outcome: 'failed';
      readonly validator: string;
      readonly message: string;
      readonly log: string;
    };

type ProcessValidator = Extract<ValidatorSpec, { type: 'command' | 'commit' }>;
type Attempt =
  | { outcome: 'passed' }
  | { outcome: 'finding'; message: string; log: string }
  | { outcome: 'failed'; message: string; log: string };

/**
 * Judges an artifact by its kind. First what needs no process; only an artifact without findings so far is given to
 * commands, which could not cope with less. Then commits and commands in the order declared: each one that itself
 * fails is tried again up to `validatorRetries` times with the same input. What is known to be wrong is enough:
 * findings go before a later validator's failure. Rejects only when `signal` aborts.
 */
export async function runValidators(request: ValidationRequest): Promise<ValidationOutcome> {
  const { kind, artifact, signal } = request;
  signal?.throwIfAborted();
  try {
    const certain = checkArtifact(kind, artifact);
    if (certain.length > 0) return { outcome: 'findings', findings: bounded(certain) };
  } catch (error) {
    if (!(error instanceof ValidatorBroken)) throw error;
    return {
      outcome: 'failed',
      validator: error.validator,
      message: shortened(`the schema itself cannot be run: ${error.message}`),
      log: '',
    };
  }

  const findings: Finding[] = [];
  const logs: string[] = [];
  for (const validator of kind.validators) {
    if (validator.type !== 'command' && validator.type !== 'commit') continue;
    const last = await withRetries(validator, request);
    if (last.outcome === 'failed') {
      if (findings.length > 0) break;
      return {
        outcome: 'failed',
        validator: validator.name,
        message: shortened(last.message),
        log: last.log,
      };
    }
    if (last.outcome === 'finding') {
      findings.push({ validator: validator.name, path: '', message: last.message });
      if (last.log !== '') logs.push(`${validator.name}:\n${last.log}`);
    }
  }
  if (findings.length === 0) return { outcome: 'passed' };
  return {
    outcome: 'findings',
    findings: bounded(findings),
    ...(logs.length > 0 && { log: logs.join('\n\n') }),
  };
}

async function withRetries(validator: ProcessValidator, request: ValidationRequest): Promise<Attempt> {
  for (let attempt = 0; ; attempt += 1) {
    const result = await attemptOnce(validator, request);
    if (result.outcome !== 'failed' || attempt >= request.kind.validatorRetries) return result;
    await pause(RETRY_PAUSE_MS * (attempt + 1), undefined, { signal: request.signal });
  }
}

async function attemptOnce(validator: ProcessValidator, request: ValidationRequest): Promise<Attempt> {
  const { input, artifact, signal } = request;
  try {
    if (validator.type === 'command') return await attemptCommand(validator, request);
    const answer = await checkCommit({
      input,
      repositoryField: validator.repositoryField,
      headSha: artifact.headSha,
      signal,
    });
    return answer.outcome === 'finding' ? { ...answer, log: '' } : answer;
  } catch (error) {
    signal?.throwIfAborted();
    // A full disk, a temporary folder that may not be written: the machine's fault, so perhaps gone at the next attempt.
    return { outcome: 'failed', message: `could not be run: ${String(error)}`, log: '' };
  }
}

async function attemptCommand(
  validator: Extract<ValidatorSpec, { type: 'command' }>,
  { input, artifact, signal }: ValidationRequest,
): Promise<Attempt> {
  const { command, timeLimit_ms, findingExitCodes } = validator;
  const end = await inValidationFolder(input, artifact, (place) =>
    runCommand({ argv: command, ...place, timeLimit_ms, signal }),
  );
  const failed = (message: string): Attempt => ({ outcome: 'failed', message, log: end.output });
  switch (end.how) {
    case 'exited':
      if (end.code === 0) return { outcome: 'passed' };
      if (!findingExitCodes.includes(end.code))
        return failed(`ended with exit code ${end.code}, which is not one that means a finding`);
      return {
        outcome: 'finding',
        message: end.output === '' ? `ended with exit code ${end.code} and said nothing` : end.output,
        log: end.output,
      };
    case 'killed':
      return failed(`was killed by ${end.by}`);
    case 'time_limit':
      return failed(`did not end within ${timeLimit_ms} ms and was killed`);
    case 'not_started':
      return failed(`could not be started: ${end.reason}`);
  }
}

/** Findings live in the checkpoint, where every byte is kept for ever: so many and so long, no more. */
function bounded(findings: readonly Finding[]): Finding[] {
  const kept = findings.slice(0, LIMITS.findings).map(({ validator, path, message }) => ({
    validator,
    path: shortened(path),
    message: shortened(message),
  }));
  const left = findings.length - kept.length;
  if (left > 0)
    kept[kept.length - 1] = {
      validator: 'limit',
      path: '',
      message: `${left + 1} more findings are not listed`,
    };
  return kept;
}

function shortened(text: string): string {
  const clean = cleanText(text);
  if (clean.length <= LIMITS.findingMessage_chars) return clean;
  // Not through the middle of a surrogate pair: half of one cannot be stored as UTF-8.
  return `${clean.slice(0, LIMITS.findingMessage_chars - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
