import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DoorLike } from '../client.js';
import { LIMITS } from '../core/limits.js';
import { Refusal } from '../core/refusals.js';
import { keepLog } from './do-work.js';
import { whileHeld } from './held-task.js';
import { persistently } from './patience.js';
import { inSlots, type SlotOptions } from './slots.js';
import type { Claim, Judge, TaskSetting, VerdictEnd } from './task.js';
import type { Attempt } from './worker-event.js';

export interface ReviewerOptions extends SlotOptions {
  readonly door: DoorLike;
  readonly judge: Judge;
  /** Only works of these kinds. */
  readonly kinds?: readonly string[];
  readonly timeLimit_ms?: number;
}

/**
 * Reserves a judgement that waits, makes it, sends the verdict, again and again until the signal aborts.
 * @throws Refusal where it may not review at all
 */
export async function runReviewer(options: ReviewerOptions): Promise<Record<Attempt, number>> {
  const passedOver = new PassedOver();
  return await inSlots(options, async (signal) => {
    const claim = await nextJudgement(options, passedOver);
    return claim === null ? 'nothing' : await judgeWork(claim, { ...options, signal }, passedOver);
  });
}

/** Waits that this reviewer does not ask for again before a time: each refused claim is an entry in a work's history. */
class PassedOver {
  private readonly until = new Map<string, number>();

  includes(wait: string): boolean {
    return (this.until.get(wait) ?? 0) > Date.now();
  }

  add(wait: string, until_ms: number): void {
    const now_ms = Date.now();
    for (const [each, at_ms] of this.until) if (at_ms <= now_ms) this.until.delete(each);
    this.until.set(wait, until_ms);
  }
}

async function nextJudgement(
  { door, kinds }: ReviewerOptions,
  passedOver: PassedOver,
): Promise<Claim | null> {
  const filter = { status: ['VP_REVIEW'], ...(kinds === undefined ? {} : { kind: [...kinds] }) };
  let cursor: string | null = null;
  do {
    const query: Record<string, unknown> = { ...filter, limit: LIMITS.page_max };
    if (cursor !== null) query['cursor'] = cursor;
    const page = await door.list(query);
    for (const { workId, wait, lease } of page.items) {
      const reserved = lease?.expiresAt != null && Date.parse(lease.expiresAt) > Date.now();
      if (wait === null || reserved || passedOver.includes(wait.interruptId)) continue;
      try {
        return (await door.claim(workId, { interruptId: wait.interruptId })).claim;
      } catch (error) {
        if (!(error instanceof Refusal) || !PASSED_OVER.includes(error.code)) throw error;
        passedOver.add(wait.interruptId, Date.now() + AGAIN_MS);
      }
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
  return null;
}

const PASSED_OVER: readonly string[] = [
  'SELF_APPROVAL',
  'ALREADY_CLAIMED',
  'ALREADY_DECIDED',
  'STALE_INTERRUPT',
  'ACTION_NOT_ALLOWED',
  'NOT_FOUND',
];
const AGAIN_MS = 60 * 60_000;

async function judgeWork(claim: Claim, options: ReviewerOptions, passedOver: PassedOver): Promise<Attempt> {
  const { door, tell } = options;
  const { workId, kind, round } = claim;
  tell({ event: 'claimed', workId, kind, round });
  return await whileHeld(
    claim,
    { ...options, onProgress: (progress) => tell({ event: 'progress', workId, progress }) },
    async (setting) => await options.judge(claim, await withArtifact(door, claim, setting)),
    async ({ end, lost, until_ms }) => {
      if (end.how === 'failed') {
        // There is no giving back of a judgement: its reservation runs out by itself and leaves nothing to look into.
        passedOver.add(claim.interruptId ?? '', until_ms + LIMITS.workerPauseMax_ms);
        tell({ event: 'left', workId, reason: end.reason, until: claim.leaseExpiresAt });
        return 'failed';
      }
      if (lost instanceof Refusal)
        tell({ event: 'refused', workId, doing: 'renew', code: lost.code, detail: lost.detail });
      try {
        await send(claim, end, until_ms, options);
        return 'done';
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        tell({ event: 'refused', workId, doing: 'review', code: error.code, detail: error.detail });
        return 'failed';
      }
    },
  );
}

async function withArtifact(door: DoorLike, claim: Claim, setting: TaskSetting): Promise<TaskSetting> {
  if (claim.artifactSha256 === null) return setting;
  const { bytes, mediaType } = await door.getArtifact(claim.artifactSha256);
  const path = join(setting.folder, 'artifact');
  await writeFile(path, bytes);
  return { ...setting, artifact: { path, mediaType } };
}

async function send(
  claim: Claim,
  end: Extract<VerdictEnd, { how: 'judged' }>,
  until_ms: number,
  { door, tell }: ReviewerOptions,
): Promise<void> {
  const { workId, interruptId, artifactSha256, headSha } = claim;
  const evidenceRef = await keepLog(door, end.log, until_ms);
  const body = {
    interruptId,
    artifactSha256,
    ...(headSha === null ? {} : { headSha }),
    verdict: end.verdict,
    evidenceRef,
    ...(end.verdict === 'REWORK'
      ? { findings: end.findings.map((finding) => ({ validator: 'review', ...finding })) }
      : {}),
  };
  const options = { idempotencyKey: `review-${workId}-${interruptId}`.slice(-LIMITS.idempotencyKey_chars) };
  const { receipt, work } = await persistently(() => door.review(workId, body, options), until_ms);
  const { receiptId } = receipt;
  tell({ event: 'reviewed', workId, verdict: end.verdict, status: work.status, receiptId, evidenceRef });
}
