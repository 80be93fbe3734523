import { Refusal } from '../core/refusals.js';
import { rulesOf, type RuleSentence } from '../core/rules.js';
import type { Desk } from './desk.js';

export interface KindRules {
  readonly kind: string;
  readonly description: string;
  /** One for each topic, in the order people ask. */
  readonly rules: readonly RuleSentence[];
}

/**
 * What the desk checks for a kind, as people read it.
 * @throws Refusal NOT_FOUND for a kind that nobody declared
 */
export function rules(desk: Desk, name: string): Promise<KindRules> {
  const kind = desk.kinds.get(name);
  if (!kind) {
    const detail = `no kind ${name.slice(0, 100)}; known: ${[...desk.kinds.keys()].join(', ')}`;
    return Promise.reject(new Refusal('NOT_FOUND', detail));
  }
  return Promise.resolve({ kind: kind.name, description: kind.description, rules: rulesOf(kind) });
}
