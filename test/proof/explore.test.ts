import { describe, expect, it } from 'vitest';
import { explore } from '../../proof/explore.js';
import { RULES } from '../../src/core/guard.js';

describe('every interleaving of two workers, an owner, corrections, expiry and restarts', () => {
  it('keeps the invariants of the design, to the depth that a test has time for', () => {
    const result = explore({ depth: 14, states: 1_000_000 });
    expect(result.violation).toBeNull();
    expect(result.states).toBeGreaterThan(10_000);
  });

  // A proof that cannot fail proves nothing: without one rule of the guard the walk must find the damage.
  it.each([
    'currentWait',
    'currentInput',
    'matchingArtifact',
    'holderAndLease',
    'actionExists',
    'separationOfDuties',
    'ownFields',
  ])('finds the damage when the guard loses its rule %s', (name) => {
    const rules = RULES.filter((rule) => rule.name !== name);
    expect(rules.length).toBe(RULES.length - 1);
    expect(explore({ depth: 16, states: 1_000_000, rules }).violation).not.toBeNull();
  });
});
