import { z } from 'zod';
import type { DoorLike } from '../../client.js';
import { invalid } from '../../core/refusals.js';
import { bodyOf, evidenceRef, idempotencyKey, interruptId, reason, textOf, workId } from './arguments.js';
import type { Tool, ToolArguments } from './tool.js';

const parting = {
  workId,
  interruptId,
  reason,
  itemsDone: z
    .array(z.string())
    .optional()
    .describe('What is finished; the next holder need not do it again.'),
  itemsLeft: z.array(z.string()).optional().describe('What is left to do.'),
  partials: z.array(z.string()).optional().describe('SHA-256 of stored intermediate results.'),
  note: z.string().optional().describe('What the next holder should know.'),
  idempotencyKey,
};

/** Tools of a holder that does not finish alone: keep what there is, give it back, tell what was done outside. */
export const HANDOFF_TOOLS: readonly Tool[] = [
  {
    name: 'save_partial',
    description:
      'Keep an intermediate result for whoever goes on with this work; counts as progress, and is never a result by itself. Give it as `content` with its `mediaType`, or as `artifactSha256` of stored bytes. On LEASE_EXPIRED, NOT_HOLDER or STALE_INTERRUPT stop: the work is no longer yours.',
    input: z.object({
      workId,
      interruptId,
      content: z.string().optional().describe('The intermediate result itself, as text.'),
      mediaType: z.string().optional().describe('What `content` is; text/plain when left out.'),
      artifactSha256: z.string().optional().describe('Leave out when you give `content`.'),
      items: z.array(z.string()).optional().describe('The items that it covers.'),
    }),
    call: async (door, given) => {
      const body = { ...bodyOf(given, 'workId', 'content', 'mediaType'), ...(await kept(door, given)) };
      return await door.savePartial(textOf(given, 'workId'), body);
    },
  },
  {
    name: 'release',
    description:
      'Give a work that you hold back to the queue, when you cannot or should not go on. Say why, and what is done and left. On NOT_HOLDER, LEASE_EXPIRED or STALE_INTERRUPT it is no longer yours: nothing to do.',
    input: z.object(parting),
    call: (door, given, options) => door.release(textOf(given, 'workId'), bodyOf(given, 'workId'), options),
  },
  {
    name: 'hand_off',
    description:
      'Pass a work that you hold on to a named worker (`to`), or back to the queue without one. On NOT_FOUND there is no such worker. On NOT_HOLDER or STALE_INTERRUPT it is no longer yours.',
    input: z.object({
      ...parting,
      to: z.string().optional().describe('The principal who is to go on with it.'),
      cause: z.enum(['expertise', 'release', 'operator']).optional(),
    }),
    call: (door, given, options) => door.handoff(textOf(given, 'workId'), bodyOf(given, 'workId'), options),
  },
  {
    name: 'report_effect',
    description:
      'Before you do anything outside that cannot be undone (pay, publish, send, merge): call this with operationId, action and target, and act only if it answers `goAhead: true`. That comes exactly once for an operationId; on `goAhead: false` do NOT act, somebody did or does. Afterwards call it again with `outcome` and evidenceRef: confirmed with externalId, failed, or unknown when you cannot tell; never act again after unknown. On OWNER_ONLY an owner must approve the action first.',
    input: z.object({
      workId,
      operationId: z
        .string()
        .describe('Your own ID of this one operation, that the other side can recognise too.'),
      interruptId: interruptId.optional().describe('Needed before the act: the wait you hold.'),
      action: z.string().optional().describe('Needed before the act: what you will do, such as pay.'),
      target: z.string().optional().describe('Needed before the act: to what or whom.'),
      outcome: z
        .enum(['confirmed', 'failed', 'unknown'])
        .optional()
        .describe('After the act: what came of it.'),
      externalId: z.string().optional().describe('Its ID outside.'),
      evidenceRef: evidenceRef.optional(),
    }),
    call: (door, given) => {
      const id = textOf(given, 'workId');
      if (given['outcome'] === undefined) return door.intendEffect(id, bodyOf(given, 'workId'));
      return door.settleEffect(id, textOf(given, 'operationId'), bodyOf(given, 'workId', 'operationId'));
    },
  },
];

async function kept(door: DoorLike, given: ToolArguments): Promise<{ artifactSha256?: string }> {
  const { content, mediaType = 'text/plain', artifactSha256 } = given;
  if (content === undefined) return {};
  if (typeof content !== 'string') throw invalid('/content', 'must be text');
  if (typeof mediaType !== 'string') throw invalid('/mediaType', 'must be text');
  if (artifactSha256 !== undefined)
    throw invalid('/artifactSha256', 'is to be left out where `content` is given');
  return { artifactSha256: (await door.putArtifact(content, mediaType)).sha256 };
}
