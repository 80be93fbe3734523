import { z } from 'zod';
import { LIMITS } from '../../core/limits.js';
import { ROLES } from '../../core/work.js';

/** The types of what callers send about cases. */

const text = (max: number) => z.string().min(1).max(max);
const id = text(LIMITS.exceptionId_chars);
const reason = text(LIMITS.reason_chars);
const reference = text(LIMITS.reference_chars);
const hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits');
const instant = z.iso.datetime({ offset: true });
const interruptId = text(200);
const level = z.enum(['low', 'medium', 'high', 'critical']);

export const evidenceItem = z.strictObject({
  label: text(LIMITS.name_chars).optional(),
  /** Where it can be found. */
  ref: reference.optional(),
  /** What it says, kept apart from the case and never in a list. */
  body: z.json().optional(),
  retainUntil: instant.optional(),
  /** Roles that may read the body; left out, everybody who may work here. */
  access: z.array(z.enum(ROLES)).min(1).optional(),
});
export type EvidenceItem = z.infer<typeof evidenceItem>;

/** Items, or one JSON value that is taken as the body of one item. */
const evidence = z.union([z.array(evidenceItem).max(LIMITS.evidence), z.json()]);

export const exceptionRequest = z.strictObject({
  exceptionId: id,
  origin: z.strictObject({
    system: id,
    runId: id,
    conversationId: id.optional(),
    messageId: id.optional(),
    threadId: id.optional(),
    interruptId: id.optional(),
    userId: id.optional(),
    callbackUrl: z
      .url({ protocol: /^https?$/ })
      .max(LIMITS.reference_chars)
      .optional(),
  }),
  classification: text(LIMITS.name_chars).default('unclassified'),
  /** One line for lists; must say nothing confidential. */
  summary: text(LIMITS.title_chars).optional(),
  impact: level.default('medium'),
  urgency: level.default('medium'),
  occurredAt: instant,
  dueAt: instant.optional(),
  team: text(LIMITS.name_chars).optional(),
  operation: z.strictObject({ version: text(LIMITS.name_chars), sha256: hash }).optional(),
  evidence: evidence.optional(),
  doneSoFar: z.json().optional(),
  externalIds: z.json().optional(),
});
export type ExceptionRequest = z.infer<typeof exceptionRequest>;

export const decideCaseRequest = z.strictObject({
  interruptId,
  inputVersion: z.number().int().min(1),
  /** The operation as the decider saw it; required where the case names one. */
  operation: z.strictObject({ version: text(LIMITS.name_chars), sha256: hash }).optional(),
  decision: text(LIMITS.name_chars),
  reason,
  /** What the origin is to continue with. */
  result: z.json().optional(),
  /** What was done outside, so that nobody does it again. */
  operations: z
    .array(
      z.strictObject({
        operationId: text(LIMITS.name_chars * 2),
        outcome: z.enum(['confirmed', 'failed', 'unknown', 'not_done']),
        externalId: reference.optional(),
      }),
    )
    .max(LIMITS.evidence)
    .default([]),
  externalIds: z.json().optional(),
});
export type DecideCaseRequest = z.infer<typeof decideCaseRequest>;

export const requestInfoRequest = z.strictObject({
  interruptId,
  who: text(LIMITS.name_chars),
  what: reason,
  until: instant,
});

export const provideInfoRequest = z.strictObject({
  reason,
  evidence: z.array(evidenceItem).max(LIMITS.evidence).default([]),
});

export const findCaseRequest = z.strictObject({ system: id.optional(), runId: id.optional() });

export const redriveRequest = z.strictObject({ reason, body: z.json().optional() });
export const closeRequest = z.strictObject({ reason });
/** Nothing is decided by it, so it names no wait; the reason goes on record. */
export const tellNowRequest = z.strictObject({ reason });
export const switchRequest = z.strictObject({
  switch: z.enum(['intake', 'claims']),
  paused: z.boolean(),
  reason,
});
