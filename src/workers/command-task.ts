import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keptText } from '../core/kept-text.js';
import { LIMITS } from '../core/limits.js';
import { endText, runInFolder } from './run-in-folder.js';
import type { Finding, Judge, Task } from './task.js';
import { readOutput, typeOfOutput } from './work-folder.js';

export interface CommandOptions {
  /** Read by `/bin/sh -c`. */
  readonly command: string;
  /** Where it runs; the fresh folder of the work when left out. */
  readonly cwd?: string;
  /** What its output is; by the file's ending, else by its content, when left out. */
  readonly mediaType?: string;
  readonly mediaTypeOf: (path: string) => string;
}

/** A worker's command: exit code 0 and an output file are a result, anything else is a failure with its reason. */
export function commandTask({ command, cwd, mediaType, mediaTypeOf }: CommandOptions): Task {
  return async (claim, setting) => {
    const run = await runInFolder(command, claim, setting, cwd);
    const log = run.log.text();
    const failed = (why: string) => ({ how: 'failed' as const, reason: sentence(why), log });
    const { end } = run;
    if (end.stopped || end.how !== 'exited' || end.code !== 0) {
      const said = run.log.tail(4);
      return failed(`the command failed (${endText(end, setting.signal)}); it said: ${said}`);
    }
    const output = await readOutput(setting.folder);
    if (!output.found) return failed(`the command ended well, but ${output.why}`);
    const headSha = run.headSha ?? (await headShaFile(setting.folder));
    return {
      how: 'finished',
      content: output.content,
      mediaType: mediaType ?? typeOfOutput(output, mediaTypeOf),
      ...(headSha === null ? {} : { headSha }),
      ...(run.items.length === 0 ? {} : { items: run.items.slice(0, LIMITS.items) }),
      log,
    };
  };
}

/** A reviewer's command: 0 is PASS, 1 is REWORK with its stdout as findings, 2 is ESCALATE. */
export function commandJudge({ command, cwd }: Pick<CommandOptions, 'command' | 'cwd'>): Judge {
  return async (claim, setting) => {
    const run = await runInFolder(command, claim, setting, cwd);
    const log = run.log.text();
    const { end } = run;
    if (!end.stopped && end.how === 'exited') {
      if (end.code === 0) return { how: 'judged', verdict: 'PASS', log };
      if (end.code === 1) return { how: 'judged', verdict: 'REWORK', findings: findingsIn(run.words), log };
      if (end.code === 2) return { how: 'judged', verdict: 'ESCALATE', log };
    }
    return {
      how: 'failed',
      reason: sentence(`the reviewing command gave no verdict (${endText(end, setting.signal)})`),
      log,
    };
  };
}

/** A finding a line: plain text, or JSON `{"path", "message"}`. */
function findingsIn(lines: readonly string[]): Finding[] {
  const found = lines.filter((line) => line.trim() !== '').map(findingIn);
  const nothing = { path: '', message: 'the reviewing command asked for rework and said nothing more' };
  return found.length === 0 ? [nothing] : found;
}

function findingIn(line: string): Finding {
  const plain = { path: '', message: keptText(line.trim(), LIMITS.findingMessage_chars) };
  if (!line.trimStart().startsWith('{')) return plain;
  try {
    const { path = '', message } = JSON.parse(line) as { path?: unknown; message?: unknown };
    if (typeof message !== 'string' || typeof path !== 'string' || message === '') return plain;
    return { path: keptText(path, 1000), message: keptText(message, LIMITS.findingMessage_chars) };
  } catch {
    return plain;
  }
}

/** A commit that was written to the file `head-sha` of the folder rather than said. */
async function headShaFile(folder: string): Promise<string | null> {
  const text = await readFile(join(folder, 'head-sha'), 'utf8').catch(() => '');
  return /^([0-9a-f]{40}|[0-9a-f]{64})\s*$/.exec(text)?.[1] ?? null;
}

const sentence = (text: string): string => keptText(text, LIMITS.reason_chars);
