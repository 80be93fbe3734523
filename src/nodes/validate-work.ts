import type { Kind } from '../core/kind.js';
import type { Verdict } from '../core/verdict.js';
import type { Position } from '../core/work.js';
import { findArtifact, findVersion } from '../ledger/reads.js';
import { ArtifactDamaged, type ArtifactStore } from '../ledger/artifact-store.js';
import type { Store } from '../ledger/store.js';
import { runValidators } from './run-validators.js';

/** Where validation finds what it judges. */
export interface ValidationSources {
  readonly store: Store;
  readonly artifacts: ArtifactStore;
  readonly kinds: ReadonlyMap<string, Kind>;
}

/** Lets the kind's validators judge the artifact that a position names. An artifact that cannot be read is a failed validation, never a passed one. */
export async function validateWork(desk: ValidationSources, position: Position): Promise<Verdict> {
  const kind = desk.kinds.get(position.kind);
  if (!kind) return failed(`kind ${position.kind} is not declared in this configuration`);
  const artifact = position.artifact;
  if (!artifact) return failed('there is no artifact to validate');
  const { row, version } = await desk.store.read(function* () {
    return {
      row: yield* findArtifact(position.tenant, artifact.sha256),
      version: yield* findVersion(position.tenant, position.workId, position.inputVersion),
    };
  });
  if (!row || !version) return failed(`artifact ${artifact.sha256} is not on record`);
  const bytes = await bytesOf(desk, position.tenant, artifact.sha256);
  if (bytes === 'damaged') return failed(`the bytes of artifact ${artifact.sha256} are damaged`);
  if (!bytes) return failed(`the bytes of artifact ${artifact.sha256} are missing`);
  const outcome = await runValidators({
    kind,
    input: JSON.parse(version.input),
    artifact: {
      bytes,
      mediaType: row.media_type,
      ...(artifact.headSha === undefined ? {} : { headSha: artifact.headSha }),
    },
  });
  switch (outcome.outcome) {
    case 'passed':
      return { outcome: 'passed', findings: [] };
    case 'findings':
      return { outcome: 'findings', findings: outcome.findings };
    case 'failed':
      return failed(outcome.message, outcome.validator);
  }
}

/** What the disk has. Damage stays damage however often it is read; any other failure is thrown and tried again. */
async function bytesOf(
  { artifacts }: ValidationSources,
  tenant: string,
  sha256: string,
): Promise<Uint8Array | 'damaged' | null> {
  try {
    return await artifacts.get(tenant, sha256);
  } catch (error) {
    if (error instanceof ArtifactDamaged) return 'damaged';
    throw error;
  }
}

function failed(message: string, validator = 'artifact'): Verdict {
  return { outcome: 'failed', findings: [{ validator, path: '', message }] };
}
