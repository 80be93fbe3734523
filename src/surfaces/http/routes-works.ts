import { listRequest } from '../../operations/read-works.js';
import { claimNextRequest, claimRequest, registerRequest, renewRequest } from '../../operations/requests.js';
import {
  anything,
  claimAnswer,
  eventAnswer,
  importOutcome,
  pageOf,
  receiptAnswer,
  registered,
  renewed,
  workAnswer,
} from './answer-schemas.js';
import { importQuery, importStream } from './import-stream.js';
import { paged, pageQuery } from './paging.js';
import { ok, type Route } from './route.js';

const SEE = 'viewer, worker, reviewer, operator, owner; a scout its own';

/** Registering works, reading them, and reserving them. */
export const workRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/v1/works',
    operation: 'register',
    summary: 'Register work: one identity, one work',
    roles: 'scout, worker, operator, owner',
    body: registerRequest,
    answers: { 201: registered, 200: registered },
    async handle({ door, body, options }) {
      const result = await door.register(body, options);
      const isNew = result.outcome === 'created' || result.outcome === 'follow_up';
      return { status: isNew ? 201 : 200, body: result };
    },
  },
  {
    method: 'post',
    path: '/v1/works/import',
    operation: 'importWorks',
    summary: 'Register works from a stream of NDJSON; one bad line never stops the rest',
    roles: 'scout, worker, operator, owner',
    body: 'ndjson',
    query: importQuery,
    answers: { 200: importOutcome },
    handle: importStream,
  },
  {
    method: 'get',
    path: '/v1/works',
    operation: 'list',
    summary: 'List works: a page, and the exact total of the whole filter',
    roles: SEE,
    query: listRequest,
    answers: { 200: pageOf(workAnswer) },
    handle: async ({ door, query }) => ok(await door.list(query)),
  },
  {
    method: 'get',
    path: '/v1/works/{workId}',
    operation: 'show',
    summary: 'One work as it is now',
    roles: SEE,
    answers: { 200: workAnswer },
    handle: async ({ door, param }) => ok(await door.show(param('workId'))),
  },
  {
    method: 'get',
    path: '/v1/works/{workId}/history',
    operation: 'history',
    summary: 'Its events, oldest first',
    roles: SEE,
    query: pageQuery,
    answers: { 200: pageOf(eventAnswer) },
    handle: async ({ door, param, query }) => ok(paged(await door.history(param('workId')), query)),
  },
  {
    method: 'get',
    path: '/v1/works/{workId}/receipts',
    operation: 'receipts',
    summary: 'What was accepted, refused and kept as reference',
    roles: SEE,
    query: pageQuery,
    answers: { 200: pageOf(receiptAnswer) },
    handle: async ({ door, param, query }) => ok(paged(await door.receipts(param('workId')), query)),
  },
  {
    method: 'get',
    path: '/v1/works/{workId}/handoffs',
    operation: 'handoffs',
    summary: 'Its changes of holder',
    roles: SEE,
    query: pageQuery,
    answers: { 200: pageOf(anything) },
    handle: async ({ door, param, query }) => ok(paged(await door.handoffs(param('workId')), query)),
  },
  {
    method: 'get',
    path: '/v1/works/{workId}/versions',
    operation: 'versions',
    summary: 'Its input versions and what each changed',
    roles: SEE,
    query: pageQuery,
    answers: { 200: pageOf(anything) },
    handle: async ({ door, param, query }) => ok(paged(await door.versions(param('workId')), query)),
  },
  {
    method: 'get',
    path: '/v1/works/{workId}/verify',
    operation: 'verifyWork',
    summary: 'Proves this work: history, row, checkpoints, receipts, lease and artifact against each other',
    roles: SEE,
    answers: { 200: anything },
    handle: async ({ door, param }) => ok(await door.verifyWork(param('workId'))),
  },
  {
    method: 'post',
    path: '/v1/claims',
    operation: 'claimNext',
    summary: 'Claim the next eligible work; 204 when there is none',
    roles: 'worker, owner',
    body: claimNextRequest,
    answers: { 200: claimAnswer, 204: 'nothing to claim' },
    async handle({ door, body, options }) {
      const result = await door.claimNext(body, options);
      return result === null ? new Response(null, { status: 204 }) : ok(result);
    },
  },
  {
    method: 'post',
    path: '/v1/works/{workId}/claim',
    operation: 'claim',
    summary: 'Reserve this work, or this judgement',
    roles: 'worker; in VP_REVIEW reviewer; in OWNER_GATE owner',
    body: claimRequest,
    answers: { 200: claimAnswer },
    handle: async ({ door, param, body, options }) =>
      ok(await door.claim(param('workId'), body ?? {}, options)),
  },
  {
    method: 'post',
    path: '/v1/works/{workId}/renew',
    operation: 'renew',
    summary: 'Extend the lease, with what was done since',
    roles: 'worker, reviewer, owner; the holder',
    body: renewRequest,
    answers: { 200: renewed },
    handle: async ({ door, param, body, options }) => ok(await door.renew(param('workId'), body, options)),
  },
];
