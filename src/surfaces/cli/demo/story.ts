import { Refusal } from '../../../core/refusals.js';
import type { Out } from '../out.js';

/** One thing that happened, as `--json` gives it. */
export interface StoryEvent {
  readonly scene: number;
  readonly who: string;
  readonly does: string;
  /** `accepted`, or the code of the refusal. */
  readonly outcome: string;
  readonly detail: string;
  readonly workId: string | null;
  readonly status: string | null;
  /** The receipt that proves it, there where the desk wrote one. */
  readonly receiptId: string | null;
}

/** What an answer of the desk may say about itself. */
interface Told {
  readonly receipt?: { readonly receiptId: string };
  readonly work?: { readonly workId: string; readonly status: string };
}

/** Tells people what happens, as it happens, and keeps it for programs. */
export class Story {
  readonly events: StoryEvent[] = [];
  private scenes = 0;

  constructor(private readonly out: Out) {}

  scene(title: string, text: string): void {
    this.scenes += 1;
    this.say(`\n${this.scenes}. ${title}\n   ${text}`);
  }

  say(text: string): void {
    if (!this.out.json) this.out.each(text, String);
  }

  /** Something that must be accepted. @throws whatever refuses it */
  async does<T extends Told>(
    who: string,
    does: string,
    act: () => Promise<T>,
    detail?: (done: T) => string,
  ): Promise<T> {
    const done = await act();
    this.tell({
      who,
      does,
      outcome: 'accepted',
      detail: detail?.(done) ?? '',
      workId: done.work?.workId ?? null,
      status: done.work?.status ?? null,
      receiptId: done.receipt?.receiptId ?? null,
    });
    return done;
  }

  /** Something that must be turned away. @returns the refusal */
  async isRefused(who: string, does: string, workId: string, act: () => Promise<unknown>): Promise<Refusal> {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.refused(who, does, workId, error);
      return error;
    }
    throw new Error(`${who} ${does}: this had to be refused and was not`);
  }

  refused(who: string, does: string, workId: string, { code, detail, details }: Refusal): void {
    const status = details.current?.status ?? null;
    const receiptId = details.receiptId ?? null;
    this.tell({ who, does, outcome: code, detail, workId, status, receiptId });
  }

  private tell(event: Omit<StoryEvent, 'scene'>): void {
    this.events.push({ scene: this.scenes, ...event });
    const { who, does, outcome, detail, status, receiptId } = event;
    const lead = `   ${who.padEnd(6)} ${does}`;
    const to = status === null ? '' : ` → ${status}`;
    const receipt = receiptId === null ? '' : `, receipt ${receiptId}`;
    this.say(`${lead}: ${outcome}${outcome === 'accepted' ? to : ''}${receipt}`);
    if (detail !== '') this.say(`          ${detail}`);
  }
}
