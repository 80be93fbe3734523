import { LIMITS } from '../core/limits.js';
import { Refusal, invalid } from '../core/refusals.js';
import { authenticatedCaller, requireRole, type Authenticated } from '../gates/authorization.js';
import { findArtifact } from '../ledger/reads.js';
import { insert, run } from '../ledger/sql.js';
import type { Desk } from './desk.js';

const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*(\s*;.*)?$/i;

export interface StoredArtifact {
  readonly sha256: string;
  readonly size: number;
  readonly mediaType: string;
}

/**
 * Stores bytes under their SHA-256; durable when it returns. Storing the same bytes again is the same artifact.
 * @throws Refusal TOO_LARGE, FORBIDDEN, INVALID for a media type that is none
 */
export async function putArtifact(
  desk: Desk,
  who: Authenticated,
  content: AsyncIterable<Uint8Array>,
  mediaType: string,
): Promise<StoredArtifact> {
  if (!MEDIA_TYPE.test(mediaType) || mediaType.length > 255)
    throw invalid('/Content-Type', 'is not a media type');
  // Rights first: a caller without them must not fill the disk.
  await desk.store.read(function* () {
    requireRole(yield* authenticatedCaller(who), ['worker', 'reviewer', 'operator'], 'storing artifacts');
  });
  const { sha256, size_bytes } = await desk.artifacts.put(who.tenant, content, LIMITS.artifact_bytes);
  const row = await desk.store.write(function* () {
    const caller = yield* authenticatedCaller(who);
    requireRole(caller, ['worker', 'reviewer', 'operator'], 'storing artifacts');
    yield* run(
      insert(
        'artifacts',
        {
          tenant: who.tenant,
          sha256,
          size_bytes,
          media_type: mediaType.toLowerCase(),
          stored_by: caller.principal,
          at: desk.now_ms(),
        },
        'ON CONFLICT (tenant, sha256) DO NOTHING',
      ),
    );
    return yield* findArtifact(who.tenant, sha256);
  });
  return { sha256, size: size_bytes, mediaType: row?.media_type ?? mediaType };
}

/** The bytes and what they are. @throws Refusal NOT_FOUND when this tenant has no such artifact */
export async function getArtifact(desk: Desk, who: Authenticated, sha256: string) {
  const row = await desk.store.read(function* () {
    requireRole(
      yield* authenticatedCaller(who),
      ['viewer', 'worker', 'reviewer', 'operator'],
      'reading artifacts',
    );
    return yield* findArtifact(who.tenant, sha256);
  });
  const bytes = row ? await desk.artifacts.get(who.tenant, sha256) : null;
  if (!row || !bytes) throw new Refusal('NOT_FOUND', `no artifact ${sha256.slice(0, 64)}`);
  return { sha256, size: row.size_bytes, mediaType: row.media_type, storedBy: row.stored_by, bytes };
}
