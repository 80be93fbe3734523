import type { z } from 'zod';
import type { CallOptions } from '../../operations/answer-wait.js';
import type { Door } from '../../operations/door.js';
import {
  assetRequest,
  completeRequest,
  decideRequest,
  moveRequest,
  observeRequest,
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

/** A route of an answer to a wait. The path ends in the verb's name. */
export function answerRoute(operation: AnswerVerb, roles: string, summary: string, body: z.ZodType): Route {
  return {
    method: 'post',
    path: `/v1/works/{workId}/${operation}`,
    operation,
    summary,
    roles,
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

export const judgeRoutes: readonly Route[] = [
  answerRoute('submit', 'worker, owner; the holder', 'Hand in the result', submitRequest),
  answerRoute(
    'review',
    'reviewer, owner; not the author',
    'A verdict on exactly this artifact',
    reviewRequest,
  ),
  answerRoute('decide', 'owner', "The owner's decision on the gate's one action", decideRequest),
  answerRoute(
    'complete',
    'worker, operator, owner',
    'What was done outside, with its external ID',
    completeRequest,
  ),
  answerRoute('observe', 'worker, reviewer, operator, owner', 'How it went', observeRequest),
  answerRoute('asset', 'worker, operator, owner', 'The record that keeps the result findable', assetRequest),
];

export const moveRoutes: readonly Route[] = [
  answerRoute('promote', 'operator, owner', 'DISCOVERED to READY', moveRequest),
  answerRoute('hold', 'operator, owner', 'Pause on purpose', moveRequest),
  answerRoute('resume', 'operator, owner', 'End a pause', moveRequest),
  answerRoute('block', 'worker, operator, owner', 'Wait for an outside condition', moveRequest),
  answerRoute('unblock', 'operator, owner', 'The outside condition is met', moveRequest),
  answerRoute('cancel', 'operator, owner', 'End it without a result', moveRequest),
];
