import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, Refusal, ServerFault, Unreachable, type DoorLike } from '../../src/client.js';
import type { Acknowledged, Journal } from './journal.js';

/** How long one request may take before its sender gives the connection up, in ms. */
const REQUEST_ms = 45_000;
/** How long a change is sent again until its sender gives up, in ms. */
const PATIENCE_ms = 90_000;
const PAUSE_ms = 100;
/** Of the changes that were acknowledged, how many are sent once more under the same key. */
const REPLAYED = 0.03;

/** What a stranger's requests are called in the journal. */
export const TRESPASS = 'trespass';
const TRESPASSES = 20;

export interface Keyed {
  readonly idempotencyKey: string;
}
type Noted = Partial<Omit<Acknowledged, 'kind' | 'at_ms' | 'lane' | 'verb' | 'key' | 'tries'>>;

/**
 * How a careful client speaks to several servers: whatever breaks is sent again, to another one, under the same
 * idempotency key; what is acknowledged goes into the journal before anything else is done.
 */
export class Caller {
  private readonly doors = new Map<string, DoorLike>();
  private current: number;

  constructor(
    private readonly lane: string,
    private readonly urls: readonly string[],
    private readonly journal: Journal,
    private readonly random: () => number,
  ) {
    this.current = Math.floor(random() * urls.length);
  }

  /**
   * Sends a change until it is answered.
   * @param noted what of the answer the journal keeps; null where the answer changed nothing
   * @returns null when it was refused or nobody answered
   */
  async change<T>(
    token: string,
    verb: string,
    send: (door: DoorLike, keyed: Keyed) => Promise<T>,
    noted: (answer: T) => Noted | null,
  ): Promise<T | null> {
    const keyed = { idempotencyKey: randomUUID() };
    const answered = await this.persist(token, verb, (door) => send(door, keyed));
    if (!answered) return null;
    const kept = noted(answered.value);
    if (kept === null) return answered.value;
    this.journal.write({
      kind: 'acknowledged',
      at_ms: Date.now(),
      lane: this.lane,
      verb,
      key: keyed.idempotencyKey,
      tries: answered.tries,
      ...kept,
    });
    if (kept.receiptId !== undefined && this.random() < REPLAYED) {
      this.turn();
      const again = await this.persist(token, verb, (door) => send(door, keyed));
      const receiptId = again ? noted(again.value)?.receiptId : 'refused';
      if (receiptId !== kept.receiptId)
        this.trouble(verb, `the same key gave ${receiptId ?? 'nothing'}, not ${kept.receiptId}`);
    }
    return answered.value;
  }

  /** Reads; null when refused or nobody answered. */
  async look<T>(token: string, verb: string, read: (door: DoorLike) => Promise<T>): Promise<T | null> {
    return (await this.persist(token, verb, read))?.value ?? null;
  }

  /** Asks for what is another tenant's; whatever is not "there is no such thing" is trouble. */
  async trespass(token: string, send: (door: DoorLike) => Promise<unknown>): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await send(this.door(token));
        this.trouble(TRESPASS, 'a stranger was served');
        return;
      } catch (error) {
        if (error instanceof Refusal && error.code !== 'BUSY') {
          const { code, detail } = error;
          const kind = code === 'NOT_FOUND' ? 'refused' : 'trouble';
          if (kind === 'trouble') this.trouble(TRESPASS, `a stranger was told ${code}: ${detail}`);
          else this.journal.write({ kind, at_ms: Date.now(), lane: this.lane, verb: TRESPASS, code, detail });
          return;
        }
        // Servers come and go; a stranger asks the next one, and not for ever.
        if (error instanceof ServerFault) this.trouble(TRESPASS, `HTTP ${error.status}: ${error.message}`);
        if (tries > TRESPASSES) return;
        this.turn();
        await sleep(PAUSE_ms);
      }
    }
  }

  private async persist<T>(
    token: string,
    verb: string,
    send: (door: DoorLike) => Promise<T>,
  ): Promise<{ value: T; tries: number } | null> {
    const began_ms = performance.now();
    for (let tries = 1; ; tries += 1) {
      try {
        return { value: await send(this.door(token)), tries };
      } catch (error) {
        if (error instanceof Refusal && error.code !== 'BUSY') {
          const { code, detail } = error;
          this.journal.write({ kind: 'refused', at_ms: Date.now(), lane: this.lane, verb, code, detail });
          return null;
        }
        if (error instanceof ServerFault) this.trouble(verb, `HTTP ${error.status}: ${error.message}`);
        else if (!(error instanceof Unreachable || error instanceof Refusal)) throw error;
        if (performance.now() - began_ms > PATIENCE_ms) {
          this.trouble(verb, `gave up after ${tries} tries: ${(error as Error).message}`);
          return null;
        }
        this.turn();
        await sleep(PAUSE_ms * (0.5 + this.random()));
      }
    }
  }

  private trouble(verb: string, what: string): void {
    this.journal.write({ kind: 'trouble', at_ms: Date.now(), lane: this.lane, verb, what });
  }

  /** Goes on with the next server. */
  private turn(): void {
    this.current = (this.current + 1) % this.urls.length;
  }

  private door(token: string): DoorLike {
    const url = this.urls[this.current] ?? '';
    const key = `${url} ${token}`;
    let door = this.doors.get(key);
    if (!door) {
      door = connect({
        url,
        token,
        fetch: (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(REQUEST_ms) }),
      });
      this.doors.set(key, door);
    }
    return door;
  }
}
