import { z } from 'zod';
import { LIMITS } from '../core/limits.js';
import { assertPlainJson } from '../core/plain-json.js';
import { Refusal } from '../core/refusals.js';

/** The types of what callers send, the same for every door. What is required is mostly the guard's to say, in its order. */

const text = (max: number) => z.string().min(1).max(max);
const hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits');
const commit = z
  .string()
  .regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/, 'must be a full commit hash, lower-case hex');
const reference = text(LIMITS.reference_chars);
const interruptId = text(200);
const reason = text(LIMITS.reason_chars);
const items = z.array(text(LIMITS.item_chars)).max(LIMITS.items);
const finding = z.object({
  validator: text(LIMITS.name_chars).default('review'),
  path: z.string().max(1000).default(''),
  message: text(LIMITS.findingMessage_chars),
});
/** People write findings as plain sentences; both forms mean the same. */
const findings = z
  .array(
    z.union([
      finding,
      text(LIMITS.findingMessage_chars).transform((message) => ({ validator: 'review', path: '', message })),
    ]),
  )
  .max(LIMITS.findings);

export const workIdSchema = text(LIMITS.workId_chars)
  .regex(/^[^\s/\\?#%]+$/, 'must not contain blanks, slashes, ?, # or %')
  .refine((workId) => workId !== '.' && workId !== '..', 'must not be . or .., which no URL can carry');

export const registerRequest = z.strictObject({
  kind: text(LIMITS.name_chars).default('generic'),
  workId: workIdSchema.optional(),
  title: text(LIMITS.title_chars).optional(),
  input: z.json(),
  source: z.json().optional(),
  impact: z.enum(['low', 'medium', 'high', 'critical']).optional(),
  urgency: z.enum(['low', 'medium', 'high', 'critical']).optional(),
  priority: z.number().int().min(0).max(9).optional(),
  dueAt: z.iso.datetime({ offset: true }).optional(),
  blockedBy: z.array(workIdSchema).max(LIMITS.blockers).optional(),
  correction: z.strictObject({ reason }).optional(),
});
export type RegisterRequest = z.infer<typeof registerRequest>;

export const moveRequest = z.strictObject({ interruptId: interruptId.optional(), reason: reason.optional() });
export const claimRequest = z.strictObject({ interruptId: interruptId.optional() });
export const claimNextRequest = z.strictObject({
  kinds: z.array(text(LIMITS.name_chars)).max(100).optional(),
  statuses: z.array(z.enum(['READY', 'REWORK'])).optional(),
});
export const renewRequest = z.strictObject({
  interruptId,
  progress: z
    .strictObject({
      done: z.number().min(0).optional(),
      total: z.number().min(0).optional(),
      note: z.string().max(LIMITS.note_chars).optional(),
      itemsDone: items.optional(),
    })
    .optional(),
});
export const submitRequest = z.strictObject({
  interruptId: interruptId.optional(),
  inputVersion: z.number().int().min(1).optional(),
  artifact: z.strictObject({ sha256: hash, headSha: commit.optional() }).optional(),
  items: items.optional(),
  notes: z.string().max(LIMITS.note_chars).optional(),
  adopts: text(100).optional(),
});
export const reviewRequest = z.strictObject({
  interruptId: interruptId.optional(),
  artifactSha256: hash.optional(),
  headSha: commit.optional(),
  verdict: z.enum(['PASS', 'REWORK', 'ESCALATE']).optional(),
  evidenceRef: reference.optional(),
  findings: findings.optional(),
});
export const decideRequest = z.strictObject({
  interruptId: interruptId.optional(),
  artifactSha256: hash.nullable().optional(),
  action: text(LIMITS.name_chars).optional(),
  decision: z.enum(['approve', 'reject', 'rework', 'hold']).optional(),
  reason: reason.optional(),
});
export const completeRequest = z.strictObject({
  interruptId: interruptId.optional(),
  artifactSha256: hash.optional(),
  outcome: z.enum(['merged', 'conflict', 'unknown']).optional(),
  externalId: reference.optional(),
  evidenceRef: reference.optional(),
});
export const observeRequest = z.strictObject({
  interruptId: interruptId.optional(),
  outcome: z.enum(['ok', 'regressed']).optional(),
  evidenceRef: reference.optional(),
});
export const assetRequest = z.strictObject({
  interruptId: interruptId.optional(),
  assetRef: reference.optional(),
});

export const handoffRequest = z.strictObject({
  interruptId: interruptId.optional(),
  reason: reason.optional(),
  to: text(LIMITS.name_chars).optional(),
  cause: z.enum(['expired', 'expertise', 'release', 'operator']).optional(),
  itemsDone: items.optional(),
  itemsLeft: items.optional(),
  partials: z.array(hash).max(LIMITS.items).optional(),
  note: z.string().max(LIMITS.note_chars).optional(),
});
export const investigateRequest = z.strictObject({
  interruptId: interruptId.optional(),
  finding: z.enum(['result_found', 'nothing_found', 'outcome_unknown']).optional(),
  evidenceRef: reference.optional(),
  /** What was found: a receipt ID of a late result, or the sha256 of a stored artifact. */
  adopts: text(100).optional(),
});
export const partialRequest = z.strictObject({ interruptId, artifactSha256: hash, items: items.default([]) });
export const noteRequest = z.strictObject({
  text: text(LIMITS.note_chars),
  evidenceRef: reference.optional(),
});
export const effectRequest = z.strictObject({
  interruptId,
  operationId: text(200),
  action: text(LIMITS.name_chars),
  target: text(LIMITS.reference_chars),
});
export const effectOutcomeRequest = z.strictObject({
  outcome: z.enum(['confirmed', 'failed', 'unknown']),
  externalId: reference.optional(),
  evidenceRef: reference,
});
export const escalateRequest = z.strictObject({
  interruptId: interruptId.optional(),
  /** What an owner is asked to allow. */
  action: text(LIMITS.name_chars).optional(),
  reason: reason.optional(),
});
/** Nothing is decided by it, so it names no wait; the reason goes on record. */
export const retryApplyRequest = z.strictObject({ reason });
export const reconcileRequest = z.strictObject({
  interruptId: interruptId.optional(),
  finding: z.enum(['happened', 'did_not_happen', 'still_unknown']).optional(),
  externalId: reference.optional(),
  evidenceRef: reference.optional(),
});

/**
 * Checks a request's types.
 * @throws Refusal INVALID with the JSON Pointer of each field that is wrong
 */
export function parseRequest<S extends z.ZodType>(schema: S, body: unknown): z.infer<S> {
  const hostile = assertPlainJson(body);
  if (hostile.length > 0) throw invalidWith(hostile);
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw invalidWith(
    result.error.issues.map((issue) => ({
      path: issue.path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
      message: issue.message,
    })),
  );
}

function invalidWith(errors: readonly { path: string; message: string }[]): Refusal {
  return new Refusal(
    'INVALID',
    errors.map((error) => `${error.path || 'the request'}: ${error.message}`).join('; '),
    { errors },
  );
}
