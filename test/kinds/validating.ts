import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '../../src/core/kind.js';
import type { KindDeclaration, ValidatorDeclaration } from '../../src/kinds/declaration.js';
import { defineKind } from '../../src/kinds/define-kind.js';
import { runValidators, type ValidationOutcome } from '../../src/nodes/run-validators.js';

/** Validates with a kind declared on the spot; no retries unless told, so that failures are quick. */
export function validate(
  declaration: Omit<KindDeclaration, 'name'>,
  artifact: { text?: string; bytes?: Uint8Array; mediaType?: string; headSha?: string },
  more: { input?: Json; signal?: AbortSignal } = {},
): Promise<ValidationOutcome> {
  const { text = '', bytes = new TextEncoder().encode(text), mediaType = 'text/plain', headSha } = artifact;
  return runValidators({
    kind: defineKind({ name: 'tested', validatorRetries: 0, ...declaration }),
    input: more.input ?? {},
    artifact: { bytes, mediaType, ...(headSha !== undefined && { headSha }) },
    signal: more.signal,
  });
}

/** A command validator that is a script for `sh`. */
export function sh(
  script: string,
  more: { name?: string; timeLimit_ms?: number; findingExitCodes?: number[] } = {},
): ValidatorDeclaration {
  return { type: 'command', command: ['/bin/sh', '-c', script], ...more };
}

/** Points the temporary folder of this process at a fresh one, so that what is left behind can be seen. */
export async function privateTmp(): Promise<{
  folder: string;
  left: () => Promise<string[]>;
  restore: () => Promise<void>;
}> {
  const before = process.env['TMPDIR'];
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-test-'));
  process.env['TMPDIR'] = folder;
  return {
    folder,
    left: async () => (await readdir(folder)).filter((name) => name.startsWith('signalbox-validate-')),
    restore: async () => {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Whether a process is there and running; a zombie that nobody has waited for yet is not. */
export async function isAlive(pid: number): Promise<boolean> {
  const { readFile } = await import('node:fs/promises');
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return !stat
      .slice(stat.lastIndexOf(')') + 1)
      .trim()
      .startsWith('Z');
  } catch {
    return false;
  }
}
