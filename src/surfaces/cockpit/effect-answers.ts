import { Refusal } from '../../core/refusals.js';
import type { Door } from '../../operations/door.js';
import type { Fields } from './form.js';

/** The two forms about effects, as the page names them. */
export const EFFECT_FORMS = ['intend', 'settle'] as const;

/**
 * Announces an effect, or reports what became of one.
 * @returns what the page is to say about it: whether there is a go-ahead is the whole point of announcing
 * @throws Refusal
 */
export async function sendEffectForm(
  door: Door,
  name: string,
  workId: string,
  form: Fields,
): Promise<'go_ahead' | 'no_second' | 'settled'> {
  const body = (...names: readonly string[]): Record<string, string> => {
    const filled: Record<string, string> = {};
    for (const each of names) {
      const value = form.get(each).trim();
      if (value !== '') filled[each] = value;
    }
    return filled;
  };
  switch (name) {
    case 'intend': {
      const announced = body('interruptId', 'operationId', 'action', 'target');
      const { goAhead } = await door.intendEffect(workId, announced);
      return goAhead ? 'go_ahead' : 'no_second';
    }
    case 'settle':
      await door.settleEffect(workId, form.get('operationId'), body('outcome', 'externalId', 'evidenceRef'));
      return 'settled';
    default:
      throw new Refusal('NOT_FOUND', `no form ${name.slice(0, 50)}`);
  }
}
