import { doorFor, type Door } from '../../src/operations/door.js';
import { expireLeases } from '../../src/operations/expire.js';
import { recoverPending } from '../../src/operations/recover.js';
import { Refusal } from '../../src/core/refusals.js';
import { defineKind, type OpenOptions } from '../../src/index.js';
import { findWork } from '../../src/ledger/reads.js';
import type { WorkRow } from '../../src/ledger/rows.js';
import { deskBox, type DeskBox } from '../../test/support/desk-box.js';
import { POLICY, type Call, type WorkName } from './state.js';

/** The kind of the works: a payment that an owner approves, on an artifact with one field. */
const payment = defineKind({
  name: 'payment',
  artifact: {
    type: 'object',
    required: ['right'],
    additionalProperties: false,
    properties: { right: { type: 'number' } },
  },
  skips: ['OBSERVING', 'ASSET_GATE'],
  completion: 'pay',
  ownerOnly: ['pay'],
  roundLimit: POLICY.roundLimit,
  leaseLossLimit: POLICY.lossLimit,
  reviewLease_ms: POLICY.reviewLease_ms,
  lease: {
    lease_ms: POLICY.lease_ms,
    leaseLimit_ms: POLICY.leaseLimit_ms,
    noProgress_ms: POLICY.noProgress_ms,
  },
});

export const EPOCH_ms = Date.parse('2026-03-02T08:00:00Z');

interface Sent {
  readonly who: string;
  readonly verb: keyof Door;
  readonly args: readonly unknown[];
}

/** What a call came to at the real desk. */
export type Outcome = { readonly value: unknown } | { readonly code: string };

/** The real desk under the model's commands, with the IDs that the model only counts. */
export class RealDesk {
  now_ms = EPOCH_ms;
  /** What happened, for whoever reads a failure. */
  readonly log: string[] = [];
  /** How often each action was taken, and each code given. */
  readonly seen: Record<string, number> = {};
  /** Interrupt IDs by the number of their wait; those that were over before anybody looked are left out. */
  readonly waits: Record<WorkName, Map<number, string>> = { first: new Map(), second: new Map() };
  /** Receipts of results that were kept, in order. */
  readonly late: Record<WorkName, string[]> = { first: [], second: [] };
  private last: { sent: Sent; receiptId: string } | null = null;
  private keys = 0;

  private constructor(readonly desk: DeskBox) {}

  static async open(backEnd: string): Promise<RealDesk> {
    const clock = { now_ms: () => EPOCH_ms };
    const options: OpenOptions = { recover: false, kinds: [payment], now_ms: () => clock.now_ms() };
    const opened = new RealDesk(await deskBox(options, backEnd));
    clock.now_ms = () => opened.now_ms;
    return opened;
  }

  /** @param crashes the process ends before it applies: nobody resumes the thread */
  async send(who: string, verb: keyof Door, args: readonly unknown[], crashes = false): Promise<Outcome> {
    const { desk } = this.desk.box;
    // Neither in the accepting transaction nor after it.
    const cutOff = { ...desk, appliers: { apply: () => Promise.resolve() }, stepper: null };
    const door = doorFor(crashes ? cutOff : desk, { tenant: 'default', principal: who });
    try {
      return { value: await (door[verb] as (...given: readonly unknown[]) => Promise<unknown>)(...args) };
    } catch (error) {
      if (error instanceof Refusal) return { code: error.code };
      throw error;
    }
  }

  async call(call: Call, artifactText: string, crashes: boolean): Promise<Outcome> {
    if (call.action === 'result' && call.isStored)
      await this.desk.owner.putArtifact(artifactText, 'application/json');
    const key = `key-${(this.keys += 1)}`;
    const verb = VERBS[call.action] ?? (call.action as keyof Door);
    const sent: Sent = {
      who: call.who,
      verb,
      args: [call.work, this.bodyOf(call), { idempotencyKey: key }],
    };
    const outcome = await this.send(sent.who, sent.verb, sent.args, crashes);
    if ('value' in outcome)
      this.last = {
        sent,
        receiptId: (outcome.value as { receipt: { receiptId: string } }).receipt.receiptId,
      };
    return outcome;
  }

  /** The last accepted call once more, word for word. @returns whether it got the same receipt, as a replay */
  async sendAgain(): Promise<boolean> {
    if (!this.last) return true;
    const { sent, receiptId } = this.last;
    const outcome = await this.send(sent.who, sent.verb, sent.args);
    if (!('value' in outcome)) return false;
    const { replayed, receipt } = outcome.value as { replayed: boolean; receipt: { receiptId: string } };
    return replayed && receipt.receiptId === receiptId;
  }

  /** Something else under the key of the last accepted call. */
  async reuseKey(): Promise<Outcome> {
    if (!this.last) return { code: 'IDEMPOTENCY_KEY_REUSED' };
    const [workId, , options] = this.last.sent.args;
    return await this.send(this.last.sent.who, 'hold', [workId, { reason: 'something else' }, options]);
  }

  async restart(recovers: boolean): Promise<void> {
    await this.desk.reopen();
    if (recovers) await recoverPending(this.desk.box.desk);
  }

  async look(): Promise<void> {
    await expireLeases(this.desk.box.desk);
  }

  async row(work: WorkName): Promise<WorkRow | undefined> {
    return await this.desk.box.desk.store.read(() => findWork('default', work));
  }

  /** Learns the ID of the wait that a work is at. */
  async learn(work: WorkName, wait: number): Promise<void> {
    const known = this.waits[work];
    const row = await this.row(work);
    if (!row?.interrupt_id || known.get(wait) === row.interrupt_id) return;
    if (known.has(wait)) throw new Error(`wait ${wait} of ${work} has two interrupt IDs`);
    if ([...known.values()].includes(row.interrupt_id)) throw new Error('an interrupt ID came a second time');
    known.set(wait, row.interrupt_id);
  }

  async learnLate(work: WorkName): Promise<void> {
    const kept = (await this.desk.owner.receipts(work)).filter(({ outcome }) => outcome === 'reference');
    for (const { receiptId } of kept)
      if (!this.late[work].includes(receiptId)) this.late[work].push(receiptId);
  }

  /** The ID behind a counted wait. Undefined names none. */
  interruptId(work: WorkName, wait: Call['wait']): string | undefined {
    if (wait === null) return undefined;
    return wait === 'unheard' ? 'f'.repeat(32) : (this.waits[work].get(wait) ?? `${wait}`);
  }

  private bodyOf(call: Call): Record<string, unknown> {
    const interruptId = this.interruptId(call.work, call.wait);
    const named = interruptId === undefined ? {} : { interruptId };
    const reason = call.lacks ? {} : { reason: 'for a reason' };
    const evidence = call.lacks ? {} : { evidenceRef: 'log:1' };
    const judged = call.artifact === null ? {} : { artifactSha256: call.artifact };
    switch (call.action) {
      case 'claim':
        return named;
      case 'result': {
        const version = call.version === null ? {} : { inputVersion: call.version };
        return { ...named, ...version, artifact: { sha256: call.artifact } };
      }
      case 'handoff':
        return { ...named, ...reason, ...(call.to === null ? {} : { to: call.to }) };
      case 'investigate': {
        const adopts = call.adopts === null ? undefined : this.late[call.work][call.adopts];
        return { ...named, ...evidence, finding: call.choice, ...(adopts === undefined ? {} : { adopts }) };
      }
      case 'review':
        return { ...named, ...judged, ...evidence, verdict: call.choice, findings: ['look again'] };
      case 'decide':
        return {
          ...named,
          ...reason,
          artifactSha256: call.artifact,
          action: call.gateAction,
          decision: call.choice,
        };
      case 'complete':
        return { ...named, ...judged, ...evidence, outcome: call.choice, externalId: 'ext-1' };
      case 'reconcile':
        return { ...named, ...evidence, finding: call.choice, externalId: 'ext-1' };
      case 'escalate':
        return { ...named, ...reason, action: call.gateAction };
      default:
        return { ...named, ...reason };
    }
  }
}

const VERBS: Readonly<Record<string, keyof Door>> = { result: 'submit' };
