import { z } from 'zod';
import { invalid } from '../../core/refusals.js';
import type { DoorLike } from '../../client.js';
import { bodyOf, idempotencyKey, inputVersion, interruptId, textOf, workId } from './arguments.js';
import type { Tool, ToolArguments } from './tool.js';

const progress = z
  .object({
    done: z.number().min(0).optional(),
    total: z.number().min(0).optional(),
    note: z.string().optional(),
    itemsDone: z.array(z.string()).optional(),
  })
  .describe('What you have got done so far; something in it must have changed to count as progress.');

/** Tools of whoever works: find, claim, keep, hand in. */
export const HOLDER_TOOLS: readonly Tool[] = [
  {
    name: 'claim_next',
    description:
      'Reserve the next work that is ready, for you alone. Gives `claim` with workId, interruptId, inputVersion, input, findings (what an earlier round was sent back for), handoff (what an earlier holder left) and leaseExpiresAt; `claim: null` when there is nothing to do. Keep interruptId and inputVersion: submit_result and renew need them. Call renew before leaseExpiresAt.',
    input: z.object({
      kinds: z.array(z.string()).optional().describe('Only works of these kinds.'),
      statuses: z
        .array(z.enum(['READY', 'REWORK']))
        .optional()
        .describe('Only first attempts (READY) or only what was sent back (REWORK).'),
      idempotencyKey,
    }),
    call: async (door, given, options) => (await door.claimNext(bodyOf(given), options)) ?? { claim: null },
  },
  {
    name: 'claim',
    description:
      'Reserve one certain work for you alone: in READY or REWORK to do it, in VP_REVIEW or OWNER_GATE to judge it. On ALREADY_CLAIMED leave it to its holder and call claim_next. On BLOCKED_BY the works in `blockedBy` must be done first. On SELF_APPROVAL you made this result yourself: somebody else must judge it. On STALE_INTERRUPT call get_work and look again.',
    input: z.object({
      workId,
      interruptId: interruptId.optional().describe('Claim only while this is still the current wait.'),
      idempotencyKey,
    }),
    call: (door, given, options) => door.claim(textOf(given, 'workId'), bodyOf(given, 'workId'), options),
  },
  {
    name: 'renew',
    description:
      'Say that you are still at it; extends your lease and answers with leaseExpiresAt. Send progress whenever there is some: without any for too long you get NO_PROGRESS; then report progress, save_partial, or release the work. On INPUT_CHANGED the input was corrected (see `changes`) and you still hold the work: call get_work, go on with the new input, and use its new wait.interruptId from then on. On LEASE_EXPIRED or NOT_HOLDER stop: the work is no longer yours.',
    input: z.object({ workId, interruptId, progress: progress.optional() }),
    call: (door, given) => door.renew(textOf(given, 'workId'), bodyOf(given, 'workId')),
  },
  {
    name: 'submit_result',
    description:
      'Hand in your result for the wait you hold. Give the result as `content` with its `mediaType` (it is stored for you), or as `artifact.sha256` of bytes that are stored already; for code also `artifact.headSha`, the full commit. Answers with `receipt` and `work`: in VP_REVIEW somebody else reviews it, in REWORK a validator found something: read `work.findings`, claim the work again and correct it. On INPUT_CHANGED your result was NOT taken, and you still hold the work: call get_work, work on the current input version and submit for its new wait.interruptId. On STALE_INTERRUPT, ALREADY_DECIDED, NOT_HOLDER or LEASE_EXPIRED your result was NOT taken and must not be sent again: it is kept for reference; call get_work to see where the work stands, and go on with claim_next. On INVALID correct the fields named in `errors`.',
    input: z.object({
      workId,
      interruptId,
      inputVersion,
      content: z.string().optional().describe('The result itself, as text.'),
      mediaType: z
        .string()
        .optional()
        .describe('What `content` is, such as application/json or text/markdown; text/plain when left out.'),
      artifact: z
        .object({
          sha256: z.string().optional().describe('Leave out when you give `content`.'),
          headSha: z.string().optional().describe('The full commit hash, for code.'),
        })
        .optional(),
      items: z.array(z.string()).optional().describe('The items that this result covers.'),
      notes: z.string().optional().describe('A word to the reviewer.'),
      adopts: z
        .string()
        .optional()
        .describe("receiptId of another's late result that this takes over, from `claim.references`."),
      idempotencyKey,
    }),
    call: async (door, given, options) => {
      const body = { ...bodyOf(given, 'workId', 'content', 'mediaType'), ...(await inlined(door, given)) };
      return await door.submit(textOf(given, 'workId'), body, options);
    },
  },
];

/** The artifact of a result that came as text: stored first, so that its hash can be submitted. */
async function inlined(door: DoorLike, given: ToolArguments): Promise<{ artifact?: object }> {
  const { content, mediaType = 'text/plain', artifact } = given;
  if (content === undefined) return {};
  if (typeof content !== 'string') throw invalid('/content', 'must be text');
  if (typeof mediaType !== 'string') throw invalid('/mediaType', 'must be text');
  const named = typeof artifact === 'object' && artifact !== null ? artifact : {};
  if ('sha256' in named) throw invalid('/artifact/sha256', 'is to be left out where `content` is given');
  const { sha256 } = await door.putArtifact(content, mediaType);
  return { artifact: { ...named, sha256 } };
}
