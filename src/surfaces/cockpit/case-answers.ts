import { invalid, Refusal } from '../../core/refusals.js';
import type { Door } from '../../operations/door.js';
import type { Fields } from './form.js';

/** How long somebody who is asked for material has, when the form says nothing else. */
const ASK_ms = 2 * 24 * 3_600_000;

/** Sends one of the forms of a case. @throws Refusal, after it is on record */
export async function sendCaseForm(
  door: Door,
  name: string,
  workId: string,
  form: Fields,
  now_ms: number,
): Promise<void> {
  const interruptId = form.get('interruptId');
  switch (name) {
    case 'decide': {
      const operation = jsonOf(form.get('operation'), '/operation');
      const result = form.get('result').trim();
      await door.decideCase(workId, {
        interruptId,
        inputVersion: Number(form.get('inputVersion')),
        ...(operation === null ? {} : { operation }),
        decision: form.get('decision').trim(),
        reason: form.get('reason').trim(),
        ...(result === '' ? {} : { result: jsonOrText(result) }),
      });
      return;
    }
    case 'ask':
      await door.requestInfo(workId, {
        interruptId,
        who: form.get('who').trim(),
        what: form.get('what').trim(),
        until: new Date(now_ms + ASK_ms).toISOString(),
      });
      return;
    case 'material': {
      const ref = form.get('ref').trim();
      await door.provideInfo(workId, {
        reason: form.get('reason').trim(),
        ...(ref === '' ? {} : { evidence: [{ ref }] }),
      });
      return;
    }
    case 'tell-now':
      await door.tellNow(workId, { reason: form.get('reason').trim() });
      return;
    default:
      throw new Refusal('NOT_FOUND', `no form ${name.slice(0, 50)}`);
  }
}

function jsonOf(text: string, path: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    throw invalid(path, 'is not JSON');
  }
}

/** People write a result as a sentence or as JSON; both are meant as they stand. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
