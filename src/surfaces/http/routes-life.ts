import {
  effectOutcomeRequest,
  effectRequest,
  noteRequest,
  partialRequest,
  retryApplyRequest,
} from '../../operations/requests.js';
import { anything, answered } from './answer-schemas.js';
import { created, ok, type Route } from './route.js';

/** What is kept and told around a work without answering its wait. */
export const aroundRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/v1/works/{workId}/investigation',
    operation: 'investigation',
    summary: 'What a silent holder left: partials, unsubmitted artifacts, late results, effects',
    roles: 'viewer, worker, reviewer, operator, owner',
    answers: { 200: anything },
    handle: async ({ door, param }) => ok(await door.investigation(param('workId'))),
  },
  {
    method: 'post',
    path: '/v1/works/{workId}/partials',
    operation: 'savePartial',
    summary: 'Keep an intermediate result for a handoff',
    roles: 'worker, owner; the holder',
    body: partialRequest,
    answers: { 201: anything },
    handle: async ({ door, param, body }) => created(await door.savePartial(param('workId'), body)),
  },
  {
    method: 'post',
    path: '/v1/works/{workId}/notes',
    operation: 'note',
    summary: 'Leave advice; it moves nothing',
    roles: 'any that may see the work',
    body: noteRequest,
    answers: { 201: anything },
    handle: async ({ door, param, body, options }) =>
      created(await door.note(param('workId'), body, options)),
  },
  {
    method: 'post',
    path: '/v1/works/{workId}/effects',
    operation: 'intendEffect',
    summary: 'Announce an external action; goAhead is true exactly once per operationId',
    roles: 'worker, operator, owner',
    body: effectRequest,
    answers: { 200: anything },
    handle: async ({ door, param, body }) => ok(await door.intendEffect(param('workId'), body)),
  },
  {
    method: 'post',
    path: '/v1/works/{workId}/effects/{operationId}',
    operation: 'settleEffect',
    summary: 'Report what became of an announced action',
    roles: 'worker, operator, owner',
    body: effectOutcomeRequest,
    answers: { 200: anything },
    handle: async ({ door, param, body }) =>
      ok(await door.settleEffect(param('workId'), param('operationId'), body)),
  },
  {
    method: 'post',
    path: '/v1/works/{workId}/retry-apply',
    operation: 'retryApply',
    summary: 'Bring an accepted answer to its thread once more, after recovery has given up',
    roles: 'operator, owner',
    body: retryApplyRequest,
    answers: { 200: answered },
    handle: async ({ door, param, body, options }) =>
      ok(await door.retryApply(param('workId'), body, options)),
  },
  {
    method: 'get',
    path: '/v1/kinds/{kind}/rules',
    operation: 'rules',
    summary: 'What the desk checks for this kind, for people to read',
    roles: 'any',
    answers: { 200: anything },
    handle: async ({ door, param }) => ok(await door.rules(param('kind'))),
  },
];
