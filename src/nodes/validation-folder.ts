import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '../core/kind.js';
import type { ArtifactContent } from './check-artifact.js';
import { environmentWithout } from './run-command.js';

/** Where a command validator runs, and the environment that tells it so. */
export interface ValidationPlace {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Lends `use` a fresh folder (mode 0700) with the files `input.json` and `artifact`, and removes it however `use` ends.
 * Each attempt gets its own, so that one attempt cannot spoil the next.
 */
export async function inValidationFolder<T>(
  input: Json,
  artifact: ArtifactContent,
  use: (place: ValidationPlace) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-validate-'));
  try {
    const inputPath = join(folder, 'input.json');
    const artifactPath = join(folder, 'artifact');
    await writeFile(inputPath, JSON.stringify(input), { mode: 0o600 });
    await writeFile(artifactPath, artifact.bytes, { mode: 0o600 });
    return await use({
      folder,
      env: {
        // Its tokens, its database and its git settings are the server's own; the artifact is a stranger's.
        ...environmentWithout(['SIGNALBOX_', 'GIT_']),
        TMPDIR: folder,
        SIGNALBOX_INPUT: inputPath,
        SIGNALBOX_ARTIFACT: artifactPath,
        ...(artifact.headSha !== undefined && { SIGNALBOX_HEAD_SHA: artifact.headSha }),
      },
    });
  } finally {
    await remove(folder);
  }
}

/** A folder that cannot be removed is an operator's matter, not the artifact's: it must not change the verdict. */
async function remove(folder: string): Promise<void> {
  const all = { recursive: true, force: true, maxRetries: 5, retryDelay: 50 } as const;
  try {
    await rm(folder, all);
  } catch {
    try {
      await makeWritable(folder);
      await rm(folder, all);
    } catch (error) {
      process.emitWarning(
        `the validators' folder ${folder} could not be removed: ${String(error)}`,
        'SignalboxWarning',
      );
    }
  }
}

/** Tools such as package caches leave folders without the write permission, from which nothing can be removed. */
async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeWritable(join(folder, entry.name));
  }
}
