import { z } from 'zod';
import { CASE_KIND } from '../core/case.js';
import { defineKind } from './define-kind.js';

const text = z.string().refine((value) => value.trim() !== '', 'must not be blank');

/** Bodies of evidence are kept apart, because they have a retention of their own; here are their hashes. */
const exception = z.looseObject({
  exceptionId: text,
  origin: z.looseObject({ system: text, runId: text }),
  occurrence: z.string(),
  classification: text,
  operation: z.looseObject({ version: text, sha256: text }).nullish(),
});

const decision = z.looseObject({ decision: text, reason: text, decidedBy: text });

/**
 * An exception that an AI hands to people. It is decided, then its decision is reflected to where it came from:
 * MERGE_READY is "decided, not reflected". A decision is its holder's own judgement, so there is no review of it.
 */
export const exceptionCase = defineKind({
  name: CASE_KIND,
  description: 'An exception that people decide; its decision is reported back to the system that raised it.',
  identity: ['/origin/system', '/origin/runId', '/exceptionId', '/occurrence'],
  input: exception,
  artifact: decision,
  artifactMediaType: 'application/json',
  skips: ['VP_REVIEW', 'OBSERVING', 'ASSET_GATE'],
  completion: 'reflect',
  effects: ['act_outside'],
  lease: { lease_ms: 4 * 60 * 60_000, leaseLimit_ms: 24 * 60 * 60_000, noProgress_ms: 4 * 60 * 60_000 },
  titleFrom: null,
});
