import { LIMITS } from '../core/limits.js';

/** Where a server tells whoever runs it what goes wrong: its log. */
export type Say = (message: string, fields: Readonly<Record<string, unknown>>) => void;

interface Complaint {
  readonly message: string;
  error: string;
  /** When it was said last, in ms; null where nobody listened. */
  said_ms: number | null;
  times: number;
}

/**
 * What a process does by itself has nobody to be refused to. What goes wrong there is said when it begins, when it
 * changes, now and then while it lasts, and when it is over.
 */
export class Complaints {
  private readonly open = new Map<string, Complaint>();
  private say: Say | null = null;

  constructor(private readonly now_ms: () => number = Date.now) {}

  /** From now on somebody reads it. What began before is said at its next time. */
  listen(say: Say): void {
    this.say = say;
  }

  /** @param about what it is that goes wrong: one complaint is open about it at a time */
  of(about: string, message: string, error: unknown, fields: Readonly<Record<string, unknown>> = {}): void {
    const text = error instanceof Error ? error.message : String(error);
    const known = this.open.get(about);
    const complaint = known ?? { message, error: text, said_ms: null, times: 0 };
    complaint.times += 1;
    const changed = complaint.error !== text;
    complaint.error = text;
    // One that comes again is the youngest, so it is the eldest that is forgotten.
    this.open.delete(about);
    this.open.set(about, complaint);
    const eldest = this.open.size > LIMITS.complaints ? this.open.keys().next() : null;
    if (eldest?.done === false) this.open.delete(eldest.value);
    const now_ms = this.now_ms();
    const due = complaint.said_ms === null || now_ms - complaint.said_ms >= LIMITS.complaintAgain_ms;
    if (!this.say || (!changed && !due)) return;
    complaint.said_ms = now_ms;
    this.say(message, { ...fields, error: text, times: complaint.times });
  }

  /** It works again. */
  over(about: string): void {
    const complaint = this.open.get(about);
    if (!complaint) return;
    this.open.delete(about);
    if (complaint.said_ms !== null) this.say?.(`over: ${complaint.message}`, { times: complaint.times });
  }

  /** Does something that is tried again later whatever comes of it. */
  async watch(duty: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      this.over(duty);
    } catch (error) {
      this.of(duty, `${duty} failed and will be tried again`, error);
    }
  }
}
