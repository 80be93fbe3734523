import type { z } from 'zod';
import { ACTION_RULES, type Action } from '../../core/transitions.js';
import type { CallOptions } from '../../operations/answer-wait.js';
import type { Door } from '../../operations/door.js';
import {
  assetRequest,
  completeRequest,
  decideRequest,
  escalateRequest,
  handoffRequest,
  investigateRequest,
  moveRequest,
  observeRequest,
  reconcileRequest,
  reviewRequest,
  submitRequest,
} from '../../operations/requests.js';
import { answered } from './answer-schemas.js';
import { prefersAsync } from './caller.js';
import type { Answer, Call, Route } from './route.js';

/** Verbs of the door that answer a work's wait: workId, body and options in, receipt and work out. */
type AnswerVerb = {
  [V in keyof Door]: Door[V] extends (
    workId: string,
    body: unknown,
    options?: CallOptions,
  ) => Promise<{ receipt: { applied: boolean }; replayed: boolean }>
    ? V
    : never;
}[keyof Door];

/**
 * A route of an answer to a wait.
 * @param action what the table of states calls it; its roles are told as that table has them
 * @param name the last part of the path, by default the verb's name
 */
export function answerRoute(
  operation: AnswerVerb,
  action: Action,
  summary: string,
  body: z.ZodType,
  name: string = operation,
): Route {
  return {
    method: 'post',
    path: `/v1/works/{workId}/${name}`,
    operation,
    summary,
    roles: rolesOf(action),
    body,
    answers: { 200: answered, 202: answered },
    async handle(call: Call): Promise<Answer> {
      const result = await call.door[operation](call.param('workId'), call.body ?? {}, call.options);
      // Accepted for good; 202 only says that the caller asked not to wait for what follows from it.
      const early = prefersAsync(call.request.headers) && !result.receipt.applied;
      return { status: early ? 202 : 200, body: result };
    },
  };
}

function rolesOf(action: Action): string {
  if (action === 'decide') return 'owner; not the author';
  const { roles, holderOnly, separate } = ACTION_RULES[action];
  return (
    [...roles, 'owner'].join(', ') + (holderOnly ? '; the holder' : '') + (separate ? '; not the author' : '')
  );
}

export const judgeRoutes: readonly Route[] = [
  answerRoute('submit', 'result', 'Hand in the result', submitRequest),
  answerRoute('review', 'review', 'A verdict on exactly this artifact', reviewRequest),
  answerRoute('decide', 'decide', "The owner's decision on the gate's one action", decideRequest),
  answerRoute('complete', 'complete', 'What was done outside, with its external ID', completeRequest),
  answerRoute('observe', 'observe', 'How it went', observeRequest),
  answerRoute('asset', 'asset', 'The record that keeps the result findable', assetRequest),
];

/** What happens when things do not go as planned. */
export const lifeRoutes: readonly Route[] = [
  answerRoute('release', 'release', 'Give held work back to the queue', handoffRequest),
  answerRoute('handoff', 'handoff', 'Change the holder, with what is done and left', handoffRequest),
  answerRoute('investigate', 'investigate', 'What was found after a reservation ran out', investigateRequest),
  answerRoute('escalate', 'escalate', 'Put one named action before the owner', escalateRequest),
  answerRoute('reconcile', 'reconcile', 'What happened outside, with evidence', reconcileRequest),
];

export const moveRoutes: readonly Route[] = [
  answerRoute('promote', 'promote', 'DISCOVERED to READY', moveRequest),
  answerRoute('hold', 'hold', 'Pause on purpose', moveRequest),
  answerRoute('resume', 'resume', 'End a pause', moveRequest),
  answerRoute('block', 'block', 'Wait for an outside condition', moveRequest),
  answerRoute('unblock', 'unblock', 'The outside condition is met', moveRequest),
  answerRoute('cancel', 'cancel', 'End it without a result', moveRequest),
];
