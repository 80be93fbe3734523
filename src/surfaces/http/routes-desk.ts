import { LIMITS } from '../../core/limits.js';
import { eventsRequest } from '../../operations/events.js';
import { principalRequest } from '../../operations/principals.js';
import { signInLinkRequest } from '../../operations/sign-in.js';
import { tokenRequest } from '../../operations/tokens.js';
import { anything, artifactAnswer, pageOf } from './answer-schemas.js';
import { eventStream } from './event-stream.js';
import { paged, pageQuery } from './paging.js';
import { bodyOf, refuseDeclared } from './request-body.js';
import { created, ok, type Route } from './route.js';

/** Artifacts, kinds, events, and who may come in. */
export const deskRoutes: readonly Route[] = [
  {
    method: 'put',
    path: '/v1/artifacts',
    operation: 'putArtifact',
    summary: 'Store bytes under their SHA-256',
    roles: 'worker, reviewer, operator, owner',
    body: 'bytes',
    answers: { 201: artifactAnswer },
    async handle({ door, request }) {
      refuseDeclared(request, LIMITS.artifact_bytes);
      const mediaType = request.headers.get('content-type') ?? 'application/octet-stream';
      return created(await door.putArtifact(bodyOf(request), mediaType));
    },
  },
  {
    method: 'get',
    path: '/v1/artifacts/{sha256}',
    operation: 'getArtifact',
    summary: 'The bytes of an artifact',
    roles: 'viewer, worker, reviewer, operator, owner',
    answers: { 200: 'the bytes, with their media type' },
    async handle({ door, param }) {
      const { bytes, mediaType, sha256, storedBy } = await door.getArtifact(param('sha256'));
      return new Response(bytes as Uint8Array<ArrayBuffer>, {
        headers: {
          'content-type': mediaType,
          'content-length': String(bytes.length),
          etag: `"${sha256}"`,
          'x-signalbox-stored-by': encodeURIComponent(storedBy),
          // Anybody's bytes, on the cockpit's origin: they must not run there.
          'content-disposition': 'attachment',
          'content-security-policy': "default-src 'none'; sandbox",
          'cache-control': 'private, max-age=31536000, immutable',
        },
      });
    },
  },
  {
    method: 'get',
    path: '/v1/verify',
    operation: 'verify',
    summary: 'Replay history against current state, checkpoints and artifacts; every difference is named',
    roles: 'operator, owner',
    answers: { 200: anything },
    handle: async ({ door }) => ok(await door.verify()),
  },
  {
    method: 'get',
    path: '/v1/kinds',
    operation: 'kinds',
    summary: 'The kinds of work this desk knows',
    roles: 'any',
    query: pageQuery,
    answers: { 200: pageOf(anything) },
    handle: async ({ door, query }) => ok(paged(await door.kinds(), query)),
  },
  {
    method: 'get',
    path: '/v1/events',
    operation: 'events',
    summary: "The tenant's history as server-sent events; Last-Event-ID resumes without a gap",
    roles: 'viewer, worker, reviewer, operator, owner; a scout those of its own works',
    query: eventsRequest,
    answers: { 200: 'text/event-stream: id is the position, data the event' },
    handle: eventStream,
  },
  {
    method: 'get',
    path: '/v1/principals',
    operation: 'listPrincipals',
    summary: 'Who may come in',
    roles: 'owner',
    query: pageQuery,
    answers: { 200: pageOf(anything) },
    handle: async ({ door, query }) => ok(paged(await door.listPrincipals(), query)),
  },
  {
    method: 'post',
    path: '/v1/principals',
    operation: 'putPrincipal',
    summary: 'Add or change a principal',
    roles: 'owner',
    body: principalRequest,
    answers: { 201: anything },
    handle: async ({ door, body }) => created(await door.putPrincipal(body)),
  },
  {
    method: 'delete',
    path: '/v1/principals/{name}',
    operation: 'disablePrincipal',
    summary: 'Take all its rights and tokens at once; its name stays in history',
    roles: 'owner',
    answers: { 200: anything },
    handle: async ({ door, param }) => ok(await door.disablePrincipal(param('name'))),
  },
  {
    method: 'get',
    path: '/v1/tokens',
    operation: 'listTokens',
    summary: 'Tokens, without their secrets',
    roles: 'owner',
    query: pageQuery,
    answers: { 200: pageOf(anything) },
    handle: async ({ door, query }) => ok(paged(await door.listTokens(), query)),
  },
  {
    method: 'post',
    path: '/v1/tokens',
    operation: 'createToken',
    summary: 'Make a token; its secret is shown this once',
    roles: 'owner',
    body: tokenRequest,
    answers: { 201: anything },
    handle: async ({ door, body, options }) => created(await door.createToken(body, options)),
  },
  {
    method: 'delete',
    path: '/v1/tokens/{tokenId}',
    operation: 'revokeToken',
    summary: 'Revoke a token at once',
    roles: 'owner',
    answers: { 200: anything },
    handle: async ({ door, param }) => ok(await door.revokeToken(param('tokenId'))),
  },
  {
    method: 'post',
    path: '/v1/sign-in-links',
    operation: 'createSignInLink',
    summary: 'Make a one-time link that signs a browser in',
    roles: 'any, for itself; owner for others',
    body: signInLinkRequest,
    answers: { 201: anything },
    handle: async ({ door, body, options }) => created(await door.createSignInLink(body, options)),
  },
];
