import {
  closeRequest,
  decideCaseRequest,
  exceptionRequest,
  findCaseRequest,
  provideInfoRequest,
  redriveRequest,
  requestInfoRequest,
  switchRequest,
  tellNowRequest,
} from '../../operations/cases/requests.js';
import { anything, answered, pageOf, workAnswer } from './answer-schemas.js';
import { z } from 'zod';
import { ok, type Route } from './route.js';

const recorded = z.looseObject({
  outcome: z.enum(['created', 'existing', 'corrected', 'follow_up']),
  work: workAnswer,
  case: anything,
});
const settled = z.looseObject({ deadLetter: anything });
const SEE = 'viewer, worker, reviewer, operator, owner; a scout its own';

/** Exceptions that people decide, and what could not be taken or told. */
export const caseRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/v1/exceptions',
    operation: 'recordException',
    summary: 'Record an exception; the same one again is an observation of the same case',
    roles: 'scout, worker, operator, owner',
    body: exceptionRequest,
    answers: { 201: recorded, 200: recorded },
    async handle({ door, body, options }) {
      const result = await door.recordException(body, options);
      const isNew = result.outcome === 'created' || result.outcome === 'follow_up';
      return { status: isNew ? 201 : 200, body: result };
    },
  },
  {
    method: 'get',
    path: '/v1/exceptions/{id}',
    operation: 'showCase',
    summary: 'One case, by workId or exceptionId: its evidence, decision, operations and external IDs',
    roles: SEE,
    query: findCaseRequest,
    answers: { 200: anything },
    handle: async ({ door, param, query }) => ok(await door.showCase(param('id'), query)),
  },
  {
    method: 'post',
    path: '/v1/exceptions/{id}/decide',
    operation: 'decideCase',
    summary: "The holder's decision, on exactly the version it saw; then its origin is told",
    roles: 'worker, owner; the holder',
    body: decideCaseRequest,
    answers: { 200: answered },
    handle: async ({ door, param, body, options }) =>
      ok(await door.decideCase(param('id'), body ?? {}, options)),
  },
  {
    method: 'post',
    path: '/v1/exceptions/{id}/request-info',
    operation: 'requestInfo',
    summary: 'Ask somebody for more material; the case waits and its clock stands still',
    roles: 'worker, operator, owner; the holder',
    body: requestInfoRequest,
    answers: { 200: answered },
    handle: async ({ door, param, body, options }) =>
      ok(await door.requestInfo(param('id'), body ?? {}, options)),
  },
  {
    method: 'post',
    path: '/v1/exceptions/{id}/provide-info',
    operation: 'provideInfo',
    summary: 'Bring the material that was asked for; the case goes back to its holder',
    roles: 'scout, worker, reviewer, operator, owner',
    body: provideInfoRequest,
    answers: { 200: answered },
    handle: async ({ door, param, body, options }) =>
      ok(await door.provideInfo(param('id'), body ?? {}, options)),
  },
  {
    method: 'get',
    path: '/v1/dead-letters',
    operation: 'deadLetters',
    summary: 'What could not be taken or told, oldest first',
    roles: 'viewer, worker, reviewer, operator, owner',
    query: z.object({
      state: z.enum(['open', 'redriven', 'closed']).optional(),
      limit: z.coerce.number().int().optional(),
      cursor: z.string().optional(),
    }),
    answers: { 200: pageOf(anything) },
    handle: async ({ door, query }) => ok(await door.deadLetters(query)),
  },
  {
    method: 'post',
    path: '/v1/dead-letters/{id}/redrive',
    operation: 'redrive',
    summary: 'Try it again; refused where the original was decided or told meanwhile',
    roles: 'operator, owner',
    body: redriveRequest,
    answers: { 200: settled },
    handle: async ({ door, param, body, options }) =>
      ok(await door.redrive(param('id'), body ?? {}, options)),
  },
  {
    method: 'post',
    path: '/v1/dead-letters/{id}/close',
    operation: 'closeDeadLetter',
    summary: 'Give it up, with the reason',
    roles: 'operator, owner',
    body: closeRequest,
    answers: { 200: settled },
    handle: async ({ door, param, body, options }) =>
      ok(await door.closeDeadLetter(param('id'), body ?? {}, options)),
  },
  {
    method: 'post',
    path: '/v1/exceptions/{id}/tell-now',
    operation: 'tellNow',
    summary: 'Try to tell the origin now instead of after the pause; nothing is decided again',
    roles: 'operator, owner',
    body: tellNowRequest,
    answers: { 200: z.looseObject({ delivery: anything }) },
    handle: async ({ door, param, body, options }) =>
      ok(await door.tellNow(param('id'), body ?? {}, options)),
  },
  {
    method: 'post',
    path: '/v1/switches',
    operation: 'setSwitch',
    summary: 'Pause intake or automatic claiming, or go on',
    roles: 'operator, owner',
    body: switchRequest,
    answers: { 200: anything },
    handle: async ({ door, body, options }) => ok(await door.setSwitch(body, options)),
  },
  {
    method: 'get',
    path: '/v1/switches',
    operation: 'switches',
    summary: 'Whether intake or automatic claiming is paused, and every turn of it',
    roles: 'viewer, worker, reviewer, operator, owner',
    answers: { 200: anything },
    handle: async ({ door }) => ok(await door.switches()),
  },
];
