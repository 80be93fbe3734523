import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { LIMITS } from '../../core/limits.js';
import { CLAIMABLE_STATUSES } from '../../core/work.js';
import { bodyOf, idempotencyKey, reason, textOf, workId } from './arguments.js';
import type { Tool } from './tool.js';

/** Tools that find and read, and the one that registers. */
export const READ_TOOLS: readonly Tool[] = [
  {
    name: 'list_ready',
    description:
      'List works that can be claimed (READY, REWORK), or those in other statuses: VP_REVIEW waits for a review, OWNER_GATE for the owner, MERGE_READY for its completion. Gives `items`, `total` of the whole list, and `nextCursor`: while it is not null there is more, to be asked for with `cursor`.',
    readOnly: true,
    input: z.object({
      status: z.array(z.string()).optional().describe('READY and REWORK when left out.'),
      kind: z.array(z.string()).optional(),
      q: z.string().optional().describe('Words of the title or workId.'),
      limit: z.number().int().min(1).max(LIMITS.page_max).optional(),
      cursor: z.string().optional().describe('`nextCursor` of the page before.'),
    }),
    call: (door, given) => door.list({ status: [...CLAIMABLE_STATUSES], ...given }),
  },
  {
    name: 'get_work',
    description:
      'Read one work as it is now: status, input, findings, holder and lease, artifactSha256, gate, and `wait` with the current interruptId and what it expects. Call it whenever something was refused, before you do anything else. On NOT_FOUND check the workId.',
    readOnly: true,
    input: z.object({ workId }),
    call: (door, given) => door.show(textOf(given, 'workId')),
  },
  {
    name: 'get_history',
    description:
      'Everything that ever happened to one work, oldest first: who did what when, also what was refused and why.',
    readOnly: true,
    input: z.object({ workId }),
    call: async (door, given) => ({ items: await door.history(textOf(given, 'workId')) }),
  },
  {
    name: 'get_artifact',
    description:
      'Read a stored result by its SHA-256, as text where it is text and as base64 where it is not. Read it before you review. `nextOffset` is not null where there is more: ask again with that offset.',
    readOnly: true,
    input: z.object({
      sha256: z.string().describe('`artifactSha256` of get_work or of a claim.'),
      offset: z.number().int().min(0).optional().describe('The byte to begin at.'),
    }),
    call: async (door, given) => {
      const artifact = await door.getArtifact(textOf(given, 'sha256'));
      const offset = typeof given['offset'] === 'number' ? given['offset'] : 0;
      return { ...described(artifact), ...part(artifact.bytes, offset) };
    },
  },
  {
    name: 'register',
    description:
      'Register work. It stands at DISCOVERED until somebody promotes it. The same work again answers `existing` with who holds it: do not do it yourself. On CONTENT_CHANGED the same work is known with other content: send it again with `correction` only if yours is the right one. On WORK_ID_CONFLICT leave workId out. On INVALID correct the fields named in `errors`.',
    input: z.object({
      kind: z.string().optional().describe('What sort of work; generic when left out.'),
      workId: workId
        .optional()
        .describe(
          'Your own ID for it. Needed for generic; other kinds derive it from their identity fields.',
        ),
      title: z.string().optional(),
      input: z.json().describe('What is to be worked on, as the kind wants it; any JSON for generic.'),
      source: z.json().optional().describe('Where it comes from.'),
      impact: z.enum(['low', 'medium', 'high', 'critical']).optional(),
      urgency: z.enum(['low', 'medium', 'high', 'critical']).optional(),
      priority: z.number().int().min(0).max(9).optional().describe('0 is the most urgent.'),
      dueAt: z.string().optional().describe('RFC 3339 with offset.'),
      blockedBy: z.array(z.string()).optional().describe('workIds that must be done first.'),
      correction: z.object({ reason }).optional(),
      idempotencyKey,
    }),
    call: (door, given, options) => door.register(bodyOf(given), options),
  },
];

interface Artifact {
  readonly sha256: string;
  readonly size: number;
  readonly mediaType: string;
  readonly storedBy: string;
}

const described = ({ sha256, size, mediaType, storedBy }: Artifact): Artifact => ({
  sha256,
  size,
  mediaType,
  storedBy,
});

/** As much as an answer carries; UTF-8 where the whole artifact is, cut between characters. */
function part(
  bytes: Uint8Array,
  offset: number,
): { text?: string; base64?: string; nextOffset: number | null } {
  const isText = isUtf8(bytes);
  const wanted = Math.min(bytes.length, offset + LIMITS.mcpArtifact_bytes);
  const end = isText ? characterEnd(bytes, offset, wanted) : wanted;
  const slice = Buffer.from(bytes.subarray(offset, end));
  return {
    ...(isText ? { text: slice.toString('utf8') } : { base64: slice.toString('base64') }),
    nextOffset: end < bytes.length ? end : null,
  };
}

/** 10xxxxxx continues a character: one that would be cut is left to the next part. */
function characterEnd(bytes: Uint8Array, start: number, wanted: number): number {
  let end = wanted;
  while (end < bytes.length && end > start && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}
