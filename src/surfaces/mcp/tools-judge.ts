import { z } from 'zod';
import {
  artifactSha256,
  bodyOf,
  evidenceRef,
  idempotencyKey,
  interruptId,
  reason,
  textOf,
  workId,
} from './arguments.js';
import type { Tool } from './tool.js';

/** Tools of whoever judges and decides. */
export const JUDGE_TOOLS: readonly Tool[] = [
  {
    name: 'review',
    description:
      'Judge a result in VP_REVIEW: PASS it, send it back for REWORK with findings, or ESCALATE it to the owner. Read it first with get_work and get_artifact; name the very artifactSha256 you read. On ARTIFACT_MISMATCH or STALE_INTERRUPT it changed since: read it again and judge anew. On SELF_APPROVAL you made it yourself: leave it to another. On ALREADY_DECIDED there is a verdict: nothing to do.',
    input: z.object({
      workId,
      interruptId,
      artifactSha256,
      headSha: z.string().optional().describe('The commit you read, for code.'),
      verdict: z.enum(['PASS', 'REWORK', 'ESCALATE']),
      evidenceRef,
      findings: z
        .array(z.string())
        .optional()
        .describe('What is to be done again, a sentence each. Needed for REWORK.'),
      idempotencyKey,
    }),
    call: (door, given, options) => door.review(textOf(given, 'workId'), bodyOf(given, 'workId'), options),
  },
  {
    name: 'decide',
    description:
      "An owner's decision at OWNER_GATE on the one action that `gate.action` of get_work names: approve, reject (cancels the work), rework, or hold. On OWNER_ONLY you may not: ask an owner. On STALE_INTERRUPT or ARTIFACT_MISMATCH read the work again before you decide.",
    input: z.object({
      workId,
      interruptId,
      artifactSha256: artifactSha256
        .nullable()
        .describe('`artifactSha256` of get_work; null where it is null.'),
      action: z.string().describe('`gate.action` of get_work.'),
      decision: z.enum(['approve', 'reject', 'rework', 'hold']),
      reason,
      idempotencyKey,
    }),
    call: (door, given, options) => door.decide(textOf(given, 'workId'), bodyOf(given, 'workId'), options),
  },
  {
    name: 'complete',
    description:
      'In MERGE_READY: report what was done with the result outside (merged, published, paid). `merged` needs externalId, where it can be found; `conflict` sends it back; `unknown` when you cannot tell whether it happened: never try again then. On ACTION_NOT_ALLOWED an owner may have to decide first: see `current.status`.',
    input: z.object({
      workId,
      interruptId,
      artifactSha256,
      outcome: z.enum(['merged', 'conflict', 'unknown']),
      externalId: z.string().optional().describe('The ID or URL outside. Needed for merged.'),
      evidenceRef,
      idempotencyKey,
    }),
    call: (door, given, options) => door.complete(textOf(given, 'workId'), bodyOf(given, 'workId'), options),
  },
];
