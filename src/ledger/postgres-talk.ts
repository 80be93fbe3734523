import type pg from 'pg';
import { LIMITS } from '../core/limits.js';
import { fly, type Outcome, type Sendable } from './postgres-flight.js';
import type { Result, Statement, Tx } from './sql.js';

const NOT_ASKED: Result = { rows: [], changes: 0 };

/** The statements of a store as a server is sent them: each text once, and a name for as many as it should keep planned. */
export class Statements {
  private readonly names = new Map<string, string>();
  private readonly texts = new WeakMap<readonly string[], string>();

  constructor(readonly types: pg.TypeOverrides) {}

  sendable({ parts, values }: Statement): Sendable {
    const text = this.textOf(parts);
    return { text, name: this.nameOf(text), values };
  }

  private textOf(parts: readonly string[]): string {
    let text = this.texts.get(parts);
    if (text === undefined) {
      text = parts.reduce((before, part, index) => `${before}$${index}${part}`);
      this.texts.set(parts, text);
    }
    return text;
  }

  private nameOf(text: string): string | undefined {
    let name = this.names.get(text);
    if (name === undefined && this.names.size < LIMITS.postgresPrepared) {
      name = `sb${this.names.size}`;
      this.names.set(text, name);
    }
    return name;
  }
}

interface Waiting {
  readonly statement: Sendable;
  readonly told: ((outcome: Outcome) => void) | undefined;
}

/** One transaction's talk with the server: what nobody waits for is sent with the next thing that somebody waits for. */
export class PostgresTalk {
  private waiting: Waiting[] = [];

  constructor(
    private readonly client: pg.PoolClient,
    private readonly statements: Statements,
  ) {}

  later(statement: Statement, told?: (outcome: Outcome) => void): void {
    this.waiting.push({ statement: this.statements.sendable(statement), told });
  }

  /** @throws the server's error, of this statement or of one that had waited for it */
  async ask(statement: Statement): Promise<Outcome> {
    this.later(statement);
    const outcomes = await this.flush();
    return outcomes.at(-1) as Outcome;
  }

  async flush(): Promise<readonly Outcome[]> {
    const flight = this.waiting;
    this.waiting = [];
    const sent = flight.map(({ statement }) => statement);
    const outcomes = await fly(this.client, this.statements.types, sent);
    flight.forEach(({ told }, index) => told?.(outcomes[index] as Outcome));
    return outcomes;
  }

  get isFull(): boolean {
    return this.waiting.length >= LIMITS.postgresFlight;
  }
}

export async function drive<T>(talk: PostgresTalk, work: Tx<T>): Promise<T> {
  let step = work.next();
  while (!step.done) {
    if (step.value.unawaited && !talk.isFull) {
      talk.later(step.value);
      step = work.next(NOT_ASKED);
      continue;
    }
    let result: Result;
    try {
      result = await talk.ask(step.value);
    } catch (error) {
      step = work.throw(error);
      continue;
    }
    step = work.next(result);
  }
  return step.value;
}
