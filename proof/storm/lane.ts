import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DoorLike } from '../../src/client.js';
import type { WorkView } from '../../src/operations/views.js';
import { answerFor, WAITING, type Answered } from './answers.js';
import type { Caller } from './caller.js';
import { EFFECTS_EVERY } from './kinds.js';

/** Who a lane is, and whom it also speaks for. */
export interface Cast {
  /** Its own principal: scout, worker and reviewer at once, so that some of its verdicts are on its own work. */
  readonly me: { readonly name: string; readonly token: string };
  readonly operator: string;
  readonly owner: string;
  /** The token of an owner of another tenant, who must find nothing here. */
  readonly stranger: string;
  /** Whom a work may be handed to. */
  readonly colleagues: readonly string[];
}

type Claim = NonNullable<Awaited<ReturnType<DoorLike['claimNext']>>>['claim'];
/** How many of the oldest unfinished works a lane chooses among: few enough that lanes meet at the same one. */
const SEEN = 60;

const noteReceipt = (answer: Answered) => ({
  workId: answer.work.workId,
  receiptId: answer.receipt.receiptId,
});

/** One worker of the storm: takes what there is to do, does it, hands on, forgets, corrects and judges, at random. */
export class Lane {
  constructor(
    private readonly caller: Caller,
    private readonly cast: Cast,
    private readonly random: () => number,
  ) {}

  /** One piece of work, of whatever sort; ends early where somebody else was faster. */
  async step(): Promise<void> {
    const { me } = this.cast;
    if (this.chance(0.15)) return await this.register();
    if (this.chance(0.02)) return await this.trespass();
    if (this.chance(0.4)) {
      const claimed = await this.caller.change(
        me.token,
        'claimNext',
        (door, keyed) => door.claimNext({}, keyed),
        (answer) =>
          answer === null ? null : { workId: answer.claim.workId, receiptId: answer.receipt.receiptId },
      );
      if (claimed) return await this.work(claimed.claim);
    }
    await this.carryOn();
  }

  private async register(): Promise<void> {
    const workId = randomUUID();
    const kind = this.chance(1 / EFFECTS_EVERY) ? 'storm-effect' : 'storm';
    const body = { workId, kind, input: { of: workId, text: 'x'.repeat(200) } };
    const registered = await this.caller.change(
      this.cast.me.token,
      'register',
      (door, keyed) => door.register(body, keyed),
      ({ outcome, work }) => ({ outcome, workId: work.workId }),
    );
    if (registered && this.chance(0.8)) await this.answer(registered.work);
  }

  /** What a holder does with its work, and what goes wrong with it. */
  private async work(claim: Pick<Claim, 'workId' | 'interruptId' | 'inputVersion' | 'kind'>): Promise<void> {
    const { workId, interruptId, inputVersion } = claim;
    const { token } = this.cast.me;
    if (interruptId === null || this.chance(0.05)) return; // forgotten: the reservation runs out
    const parting = { interruptId, reason: 'storm', itemsDone: ['a'], itemsLeft: ['b'] };
    if (this.chance(0.04)) {
      await this.judge(token, 'release', (door, keyed) => door.release(workId, parting, keyed));
      return;
    }
    if (this.chance(0.04)) {
      const to = this.pick(this.cast.colleagues) ?? this.cast.me.name;
      await this.judge(token, 'handoff', (door, keyed) => door.handoff(workId, { ...parting, to }, keyed));
      return;
    }
    if (this.chance(0.03)) await this.correct(workId);
    if (this.chance(0.05))
      await this.caller.change(
        token,
        'renew',
        (door) => door.renew(workId, { interruptId, progress: { done: 1, total: 2, itemsDone: ['a'] } }),
        () => ({ workId }),
      );
    if (claim.kind === 'storm-effect' && this.chance(0.3)) await this.effect(workId, interruptId);
    const sha256 = await this.store(JSON.stringify({ of: workId, round: randomUUID() }));
    if (sha256 === null) return;
    if (this.chance(0.05))
      await this.caller.change(
        token,
        'savePartial',
        (door) => door.savePartial(workId, { interruptId, artifactSha256: sha256, items: ['a'] }),
        () => ({ workId }),
      );
    await this.judge(token, 'submit', (door, keyed) =>
      door.submit(workId, { interruptId, inputVersion, artifact: { sha256 }, notes: 'storm' }, keyed),
    );
  }

  private async store(content: string): Promise<string | null> {
    const stored = await this.caller.change(
      this.cast.me.token,
      'putArtifact',
      (door) => door.putArtifact(content, 'application/json'),
      ({ sha256 }) => ({ sha256 }),
    );
    return stored?.sha256 ?? null;
  }

  private async correct(workId: string): Promise<void> {
    const shown = await this.caller.look(this.cast.operator, 'show', (door) => door.show(workId));
    if (!shown) return;
    const input = { of: workId, text: randomUUID() };
    await this.caller.change(
      this.cast.operator,
      'correct',
      (door, keyed) =>
        door.register({ workId, kind: shown.kind, input, correction: { reason: 'storm' } }, keyed),
      ({ outcome, work }) => ({ outcome, workId: work.workId }),
    );
  }

  private async effect(workId: string, interruptId: string): Promise<void> {
    const { token } = this.cast.me;
    const operationId = randomUUID();
    const intended = await this.caller.change(
      token,
      'intendEffect',
      (door) => door.intendEffect(workId, { interruptId, operationId, action: 'send', target: 'outside' }),
      ({ goAhead }) => ({ workId, ...(goAhead ? { goAhead: operationId } : {}) }),
    );
    if (!intended || this.chance(0.2)) return;
    const outcome = this.chance(0.9) ? 'confirmed' : 'unknown';
    await this.caller.change(
      token,
      'settleEffect',
      (door) => door.settleEffect(workId, operationId, { outcome, externalId: 'x', evidenceRef: 'log:1' }),
      () => ({ workId }),
    );
  }

  /** Takes one of the oldest works that wait for somebody, and answers for it. */
  private async carryOn(): Promise<void> {
    const listed = await this.caller.look(this.cast.operator, 'list', (door) =>
      door.list({ status: WAITING, limit: SEEN }),
    );
    const work = this.pick(listed?.items ?? []);
    if (work) await this.answer(work);
    else await sleep(20);
  }

  /** Somebody from another tenant who knows a work's ID, and even its wait. */
  private async trespass(): Promise<void> {
    const listed = await this.caller.look(this.cast.operator, 'list', (door) => door.list({ limit: SEEN }));
    const work = this.pick(listed?.items ?? []);
    if (!work) return;
    const at = { interruptId: work.wait?.interruptId ?? work.threadId, reason: 'storm' };
    const tries = [
      (door: DoorLike) => door.show(work.workId),
      (door: DoorLike) => door.claim(work.workId, {}),
      (door: DoorLike) => door.hold(work.workId, at),
      (door: DoorLike) => door.history(work.workId),
    ] as const;
    for (const send of tries) await this.caller.trespass(this.cast.stranger, send);
  }

  private async answer(work: WorkView): Promise<void> {
    if (work.status === 'IN_PROGRESS' && work.wait) return await this.lookAfter(work, work.wait.interruptId);
    const answer = answerFor(work, (of) => this.chance(of));
    if (!answer) return await sleep(20);
    const { me, operator, owner } = this.cast;
    const token = { me: me.token, operator, owner }[answer.by];
    await this.judge(token, answer.verb, answer.send);
  }

  /** A work in somebody's hands: mine is done; one whose reservation ran out is looked into. */
  private async lookAfter(work: WorkView, interruptId: string): Promise<void> {
    if (work.lease?.state === 'unknown') {
      const body = { interruptId, finding: 'nothing_found', evidenceRef: 'log:3' };
      await this.judge(this.cast.operator, 'investigate', (door, keyed) =>
        door.investigate(work.workId, body, keyed),
      );
    } else if (work.holder === this.cast.me.name && this.chance(0.5)) {
      await this.work({ workId: work.workId, interruptId, inputVersion: work.inputVersion, kind: work.kind });
    } else {
      await sleep(10);
    }
  }

  private judge(
    token: string,
    verb: string,
    send: (door: DoorLike, keyed: { readonly idempotencyKey: string }) => Promise<Answered>,
  ): Promise<Answered | null> {
    return this.caller.change(token, verb, send, noteReceipt);
  }

  private chance(of: number): boolean {
    return this.random() < of;
  }

  private pick<T>(among: readonly T[]): T | undefined {
    return among[Math.floor(this.random() * among.length)];
  }
}
