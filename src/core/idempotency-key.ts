import { LIMITS } from './limits.js';
import { invalid } from './refusals.js';

/**
 * What every door takes as an idempotency key.
 * @throws Refusal INVALID for one that is empty, too long, or holds what no header and not every database can keep
 */
export function checkIdempotencyKey(key: string): void {
  if (key === '' || key.length > LIMITS.idempotencyKey_chars)
    throw invalid('/Idempotency-Key', `must have 1 to ${LIMITS.idempotencyKey_chars} characters`);
  if (/[\p{Cc}\p{Cs}]/u.test(key)) throw invalid('/Idempotency-Key', 'must not hold control characters');
}
