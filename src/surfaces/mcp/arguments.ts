import { z } from 'zod';
import { invalid } from '../../core/refusals.js';
import type { ToolArguments } from './tool.js';

/** Arguments that several tools take, each with what a model must know of it. */
export const workId = z.string().describe('The workId, as list_ready, claim_next or get_work give it.');
export const interruptId = z
  .string()
  .describe(
    'The wait you answer: `interruptId` of your claim, or `wait.interruptId` of get_work. Never make one up, and never take a newer one without reading the work again.',
  );
export const inputVersion = z
  .number()
  .int()
  .min(1)
  .describe('The input version you worked on, from your claim.');
export const artifactSha256 = z
  .string()
  .describe('SHA-256 (64 hex digits) of the very artifact you read: `artifactSha256` of get_work.');
export const evidenceRef = z
  .string()
  .describe('Where others can see what you looked at: `artifact:<sha256>`, a URL, or a log reference.');
export const reason = z.string().describe('Why, in a sentence; it goes on record.');
export const idempotencyKey = z
  .string()
  .optional()
  .describe('Any text of your choice. Send the same call with the same key again when you got no answer.');

/**
 * Text that an argument must be, because the call cannot be addressed without it.
 * @throws Refusal INVALID
 */
export function textOf(given: ToolArguments, name: string): string {
  const value = given[name];
  if (typeof value === 'string' && value !== '') return value;
  throw invalid(`/${name}`, 'is required: text');
}

/** The arguments without those that are no part of the request's body. */
export function bodyOf(given: ToolArguments, ...apart: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !apart.includes(name)));
}
