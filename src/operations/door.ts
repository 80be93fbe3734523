import type { Authenticated } from '../gates/authorization.js';
import type { CallOptions } from './answer-wait.js';
import { getArtifact, putArtifact } from './artifacts.js';
import { basketVerbs } from './basket/basket-door.js';
import { caseVerbs } from './cases/case-door.js';
import { claimNext } from './claim-next.js';
import { claim } from './claim.js';
import { decideGate } from './decide-gate.js';
import type { Desk } from './desk.js';
import { intendEffect, settleEffect } from './effects.js';
import { handoff, release } from './hand-off.js';
import { investigate } from './investigate.js';
import { investigation } from './investigation.js';
import { note } from './notes.js';
import { savePartial } from './partials.js';
import { reconcile } from './reconcile.js';
import { retryApply } from './retry-apply.js';
import { rules } from './rules.js';
import { events, type EventsOptions } from './events.js';
import { importWorks, type ImportLine } from './import-works.js';
import {
  asset,
  block,
  cancel,
  complete,
  escalate,
  hold,
  observe,
  promote,
  resume,
  review,
  unblock,
} from './judge.js';
import { disablePrincipal, listPrincipals, putPrincipal } from './principals.js';
import { handoffs, history, list, receipts, show, versions } from './read-works.js';
import { register } from './register.js';
import { renew } from './renew.js';
import { createSignInLink } from './sign-in.js';
import { submit } from './submit.js';
import { createToken, listTokens, revokeToken } from './tokens.js';
import { verify } from './verify.js';
import { verifyWork } from './verify-work.js';
import { kindView, workView } from './views.js';

/**
 * A desk as one caller sees it: every verb with the caller's rights, bodies and answers as in the HTTP contract.
 * The library, the CLI on a data folder, HTTP and MCP all go through this; the HTTP client has the same shape.
 */
export function doorFor(desk: Desk, who: Authenticated) {
  const bound =
    <R>(
      verb: (
        desk: Desk,
        who: Authenticated,
        workId: string,
        body: unknown,
        options?: CallOptions,
      ) => Promise<R>,
    ) =>
    (workId: string, body: unknown, options?: CallOptions): Promise<R> =>
      verb(desk, who, workId, body, options);
  return {
    async register(body: unknown, options?: CallOptions) {
      const { outcome, work, replayed } = await register(desk, who, body, options);
      return { outcome, work: workView(work), replayed };
    },
    importWorks: (lines: AsyncIterable<ImportLine> | Iterable<ImportLine>) => importWorks(desk, who, lines),
    claimNext: (body?: unknown, options?: CallOptions) => claimNext(desk, who, body, options),
    claim: bound(claim),
    renew: bound(renew),
    submit: bound(submit),
    review: bound(review),
    decide: bound(decideGate),
    complete: bound(complete),
    observe: bound(observe),
    asset: bound(asset),
    promote: bound(promote),
    release: bound(release),
    handoff: bound(handoff),
    investigate: bound(investigate),
    escalate: bound(escalate),
    reconcile: bound(reconcile),
    retryApply: bound(retryApply),
    investigation: (workId: string) => investigation(desk, who, workId),
    savePartial: (workId: string, body: unknown) => savePartial(desk, who, workId, body),
    note: bound(note),
    intendEffect: (workId: string, body: unknown) => intendEffect(desk, who, workId, body),
    settleEffect: (workId: string, operationId: string, body: unknown) =>
      settleEffect(desk, who, workId, operationId, body),
    rules: (kind: string) => rules(desk, kind),
    hold: bound(hold),
    resume: bound(resume),
    block: bound(block),
    unblock: bound(unblock),
    cancel: bound(cancel),
    show: (workId: string) => show(desk, who, workId),
    list: (query?: unknown) => list(desk, who, query),
    history: (workId: string) => history(desk, who, workId),
    receipts: (workId: string) => receipts(desk, who, workId),
    handoffs: (workId: string) => handoffs(desk, who, workId),
    versions: (workId: string) => versions(desk, who, workId),
    putArtifact: (content: AsyncIterable<Uint8Array> | Uint8Array | string, mediaType: string) =>
      putArtifact(desk, who, chunks(content), mediaType),
    getArtifact: (sha256: string) => getArtifact(desk, who, sha256),
    verify: () => verify(desk, who),
    verifyWork: (workId: string) => verifyWork(desk, who, workId),
    kinds: () => Promise.resolve([...desk.kinds.values()].map(kindView)),
    putPrincipal: (body: unknown) => putPrincipal(desk, who, body),
    listPrincipals: () => listPrincipals(desk, who),
    disablePrincipal: (name: string) => disablePrincipal(desk, who, name),
    createToken: (body: unknown, options?: CallOptions) => createToken(desk, who, body, options),
    listTokens: () => listTokens(desk, who),
    revokeToken: (tokenId: string) => revokeToken(desk, who, tokenId),
    createSignInLink: (body?: unknown, options?: CallOptions) => createSignInLink(desk, who, body, options),
    ...caseVerbs(desk, who),
    ...basketVerbs(desk, who),
    events: (query?: unknown, options?: EventsOptions) => events(desk, who, query, options),
  };
}

export type Door = ReturnType<typeof doorFor>;

async function* chunks(content: AsyncIterable<Uint8Array> | Uint8Array | string): AsyncGenerator<Uint8Array> {
  if (typeof content === 'string') yield Buffer.from(content);
  else if (content instanceof Uint8Array) yield content;
  else yield* content;
}
