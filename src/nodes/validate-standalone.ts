import type { Json } from '../core/kind.js';
import type { Verdict } from '../core/verdict.js';
import type { Position } from '../core/work.js';
import { runValidators } from './run-validators.js';
import type { StandaloneParts } from './standalone-wait.js';

/**
 * Lets the kind's validators judge an artifact that the content store holds. Nobody has recorded a media type here,
 * so the kind's own is assumed. What cannot be read is a failed validation, never a passed one.
 */
export async function validateStandalone(parts: StandaloneParts, position: Position): Promise<Verdict> {
  const kind = parts.kinds.get(position.kind);
  if (!kind) return failed(`kind ${position.kind} is not declared in this configuration`);
  const { artifact, tenant } = position;
  if (!artifact) return failed('there is no artifact to validate');
  const bytes = await read(parts, tenant, artifact.sha256);
  if (!bytes)
    return failed(
      `the bytes of artifact ${artifact.sha256} are not stored: give them as "content" in the answer`,
    );
  const input = await read(parts, tenant, position.inputSha256);
  if (!input) return failed(`the input ${position.inputSha256} is not stored`);
  const outcome = await runValidators({
    kind,
    input: JSON.parse(new TextDecoder().decode(input)) as Json,
    artifact: { bytes, mediaType: kind.artifactMediaType ?? 'text/plain', headSha: artifact.headSha },
  });
  if (outcome.outcome === 'passed') return { outcome: 'passed', findings: [] };
  if (outcome.outcome === 'findings') return { outcome: 'findings', findings: outcome.findings };
  return failed(outcome.message, outcome.validator);
}

/** A store that fails is a validator that failed: the artifact is not to blame, and the graph must not die of it. */
async function read(
  { content }: StandaloneParts,
  tenant: string,
  sha256: string,
): Promise<Uint8Array | null> {
  return await content.get(tenant, sha256).catch(() => null);
}

function failed(message: string, validator = 'artifact'): Verdict {
  return { outcome: 'failed', findings: [{ validator, path: '', message }] };
}
