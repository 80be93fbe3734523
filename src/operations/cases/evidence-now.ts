import type { Json } from '../../core/kind.js';
import type { EvidenceRow } from '../../ledger/case-rows.js';

/**
 * The evidence that newer evidence stands in for, by hash. The exception's newest arrival names its own; of what it
 * does not name, only what has the label of something it does name is over. Material that people brought stays.
 */
export function supersededEvidence(
  rows: readonly EvidenceRow[],
  input: Readonly<Record<string, Json>>,
): ReadonlySet<string> {
  const named = new Set(Array.isArray(input['evidence']) ? input['evidence'].map(hashOf) : []);
  const labels = new Set(rows.filter(({ sha256 }) => named.has(sha256)).map(({ label }) => label));
  return new Set(
    rows.filter(({ sha256, label }) => !named.has(sha256) && labels.has(label)).map(({ sha256 }) => sha256),
  );
}

const hashOf = (item: Json): Json | undefined =>
  typeof item === 'object' && item !== null && !Array.isArray(item) ? item['sha256'] : undefined;
