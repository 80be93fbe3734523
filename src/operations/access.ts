import { z } from 'zod';
import { LIMITS } from '../core/limits.js';
import { DESK_PRINCIPAL, type Caller } from '../core/work.js';
import { authenticatedCaller, requireRole, type Authenticated } from '../gates/authorization.js';
import { ACCESS_JOURNAL, keepInJournal } from '../ledger/journal.js';
import type { Tx } from '../ledger/sql.js';

export const principalName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._@-]*$/, 'must be letters, digits and . _ @ -')
  .max(LIMITS.name_chars)
  // Whoever could change its rights would stop every delivery of the tenant; whoever signed in as it would act unseen.
  .refine((name) => name !== DESK_PRINCIPAL, 'is the name of the desk itself');

/** @throws Refusal FORBIDDEN for anybody but an owner */
export function* managingOwner(who: Authenticated): Tx<Caller> {
  const caller = yield* authenticatedCaller(who);
  requireRole(caller, [], 'managing principals');
  return caller;
}

/** What is told of who may do what. Labels of tokens are not: they are the owners' own words. */
export type AccessEvent =
  | 'principal.added'
  | 'principal.changed'
  | 'principal.disabled'
  | 'token.created'
  | 'token.revoked'
  | 'sign_in_link.created';

/**
 * Tells, in the transaction of the change itself, who was given or lost which rights. Whoever may give them could else
 * give them, use them and take them back unseen.
 * @param tenant the tenant whose rights change; another than the caller's only when it is founded
 */
export function* tellOfAccess(
  tenant: string,
  type: AccessEvent,
  who: Authenticated,
  at_ms: number,
  data: Readonly<Record<string, unknown>>,
): Tx<void> {
  const { onBehalfOf } = who;
  const behalf = onBehalfOf ? { onBehalfOf: onBehalfOf.principal, onBehalfReason: onBehalfOf.reason } : {};
  yield* keepInJournal(
    tenant,
    { type, by: who.principal, at_ms, data: { ...data, ...behalf } },
    ACCESS_JOURNAL,
  );
}
