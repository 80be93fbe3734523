import { z } from 'zod';
import { REFUSALS, type RefusalCode } from '../../core/refusals.js';
import { STATUSES } from '../../core/work.js';

/** The shapes of answers, for the OpenAPI document. Loose: an answer may say more, never less. */

const text = z.string();
const textOrNull = z.string().nullable();
const whole = z.int();
const instant = z.iso.datetime();
const status = z.enum(STATUSES);
const findings = z.array(z.looseObject({ validator: text, path: text, message: text }));

export const workAnswer = z.looseObject({
  workId: text,
  threadId: text,
  kind: text,
  title: text,
  status,
  round: whole,
  inputVersion: whole,
  inputSha256: text,
  artifactSha256: textOrNull,
  headSha: textOrNull,
  findings,
  wait: z
    .looseObject({
      interruptId: text,
      status,
      since: textOrNull,
      waitsFor: z.json(),
      expects: z.looseObject({}),
    })
    .nullable(),
  holder: textOrNull,
  lease: z.looseObject({ holder: textOrNull, state: textOrNull, expiresAt: textOrNull }).nullable(),
  priority: whole,
  dueAt: textOrNull,
  createdAt: instant,
  updatedAt: instant,
});

export const receiptAnswer = z.looseObject({
  receiptId: text,
  workId: text,
  interruptId: textOrNull,
  action: text,
  outcome: z.enum(['accepted', 'refused', 'reference']),
  code: textOrNull,
  detail: textOrNull,
  principal: text,
  actor: text,
  artifactSha256: textOrNull,
  at: instant,
  applied: z.boolean(),
});

export const answered = z.looseObject({ receipt: receiptAnswer, work: workAnswer, replayed: z.boolean() });

export const registered = z.looseObject({
  outcome: z.enum(['created', 'existing', 'corrected', 'follow_up']),
  work: workAnswer,
  replayed: z.boolean(),
});

export const claimAnswer = z.looseObject({
  claim: z.looseObject({
    workId: text,
    threadId: text,
    interruptId: textOrNull,
    inputVersion: whole,
    inputSha256: text,
    input: z.unknown(),
    leaseExpiresAt: textOrNull,
    round: whole,
    findings,
    handoff: z.looseObject({}).nullable(),
  }),
});

export const renewed = z.looseObject({ leaseExpiresAt: textOrNull });

export const eventAnswer = z.looseObject({
  seq: whole,
  position: whole,
  workId: textOrNull,
  at: instant,
  type: text,
  by: text,
  data: z.looseObject({}),
  hash: text,
  prevHash: text,
});

export const importOutcome = z.looseObject({
  line: whole,
  outcome: z.enum(['created', 'existing', 'corrected', 'follow_up', 'refused']),
  workId: text.optional(),
  code: text.optional(),
  detail: text.optional(),
});

export const artifactAnswer = z.looseObject({ sha256: text, size: whole, mediaType: text });
export const anything = z.looseObject({});

/** A page of a list; `total` counts the whole filter, `nextCursor` is null where this page ends it. */
export const pageOf = (item: z.ZodType) =>
  z.looseObject({ items: z.array(item), nextCursor: textOrNull, total: whole });

const codes = Object.keys(REFUSALS) as RefusalCode[];

export const problemAnswer = z.looseObject({
  type: text,
  title: text,
  status: whole,
  detail: text,
  code: z.enum([...codes, 'INTERNAL']),
  next: text.optional(),
  current: z.looseObject({ status, interruptId: textOrNull, inputVersion: whole }).optional(),
  errors: z.array(z.looseObject({ path: text, message: text })).optional(),
  receiptId: text.optional(),
  holder: text.optional(),
  since: text.optional(),
  blockedBy: z.array(text).optional(),
  changes: z.array(z.unknown()).optional(),
  kept: z.array(text).optional(),
});
