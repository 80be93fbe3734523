import { ACTION_RULES, actionsIn, type Action } from '../core/transitions.js';
import { waitIdOf, type Position } from '../core/work.js';

/** What an example says where only the person who pastes it can know. */
const FILL_IN = '<fill in>';

/**
 * For each action that a wait takes, a whole answer to paste into LangGraph Studio: the envelope with this wait's own
 * literals, and the action's fields. Whoever is named in it is a stand-in; the graph alone cannot authenticate anybody.
 */
export function exampleAnswers(position: Position): Partial<Record<Action, unknown>> {
  const examples: Partial<Record<Action, unknown>> = {};
  for (const action of actionsIn(position.status)) {
    if (!ACTION_RULES[action].external) continue;
    examples[action] = {
      waitId: waitIdOf(position),
      inputVersion: position.inputVersion,
      artifactSha256: position.artifact?.sha256 ?? null,
      answer: { action, by: partyFor(action, position), ...fieldsOf(action, position) },
    };
  }
  return examples;
}

function partyFor(action: Action, position: Position) {
  if (ACTION_RULES[action].holderOnly && position.holder) return position.holder;
  const role = ACTION_RULES[action].roles.includes('worker') ? 'worker' : 'operator';
  const name = action === 'review' ? 'reviewer' : action === 'decide' ? 'owner' : role;
  return { principal: `studio-${name}`, actor: `studio-${name}` };
}

/** Only what the action needs; `content` and `input` stand instead of bytes that a desk would have stored before. */
function fieldsOf(action: Action, position: Position): Record<string, unknown> {
  switch (action) {
    case 'promote':
    case 'claim':
    case 'release':
    case 'hold':
    case 'resume':
    case 'block':
    case 'unblock':
    case 'cancel':
    case 'doubt':
    case 'asset':
    case 'validated':
      return {};
    case 'result':
      return { content: `<the result itself, as text; or instead: "artifact": {"sha256": "…"}>` };
    case 'handoff':
      return { to: null };
    case 'investigate':
      return { finding: 'nothing_found' };
    case 'review':
      return { verdict: 'PASS', evidenceRef: FILL_IN, findings: [], reason: FILL_IN };
    case 'decide':
      return { decision: 'approve', gateAction: position.gate?.action ?? '', findings: [] };
    case 'complete':
      return { outcome: 'merged' };
    case 'observe':
      return { outcome: 'ok' };
    case 'escalate':
      return { gateAction: FILL_IN, reason: FILL_IN };
    case 'reconcile':
      return { finding: 'happened' };
    case 'correct':
      return { input: '<the whole corrected input>', findings: [] };
  }
}
