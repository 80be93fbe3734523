import { UsageError } from './failures.js';

/** Options every verb has, named as commander names them. */
export interface GlobalOptions {
  readonly json?: boolean;
  readonly as?: string;
  readonly data?: string;
  readonly url?: string;
  readonly idempotencyKey?: string;
  readonly onBehalfOf?: string;
  readonly because?: string;
}

/** What was written on the command line, read with the type each verb expects. */
export class Args {
  constructor(
    private readonly positional: readonly (string | readonly string[] | undefined)[],
    private readonly options: Readonly<Record<string, unknown>>,
  ) {}

  get global(): GlobalOptions {
    return this.options;
  }

  /** A positional argument that commander has made sure of. */
  at(index: number): string {
    const value = this.positional[index];
    if (typeof value !== 'string') throw new UsageError(`argument ${index + 1} is missing`);
    return value;
  }

  /** A positional argument that may be left out. */
  maybe(index: number): string | undefined {
    const value = this.positional[index];
    return typeof value === 'string' ? value : undefined;
  }

  /** A positional argument of any number of words. */
  all(index: number): readonly string[] {
    const value = this.positional[index];
    return value === undefined ? [] : [value].flat();
  }

  flag(name: string): boolean {
    return this.options[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.options[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** A repeatable option; nothing given is no field at all. */
  list(name: string): string[] | undefined {
    const value = this.options[name];
    return Array.isArray(value) && value.length > 0 ? value.map(String) : undefined;
  }

  /** @throws UsageError for anything but a number */
  number(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (text.trim() === '' || !Number.isFinite(value))
      throw new UsageError(`${flagOf(name)} takes a number, not ${JSON.stringify(text)}`);
    return value;
  }

  /** @throws UsageError for anything but JSON */
  json(name: string): unknown {
    const text = this.text(name);
    if (text === undefined) return undefined;
    return parseJson(text, flagOf(name));
  }

  /**
   * The wait an answer is for, where answering a newer one by mistake would do harm.
   * @throws UsageError that says where it stands
   */
  interrupt(workId: string): string {
    const given = this.text('interrupt');
    if (given !== undefined) return given;
    throw new UsageError(
      `--interrupt is needed: it names the very wait you looked at, so that nothing newer is answered by mistake.\n` +
        `It stands in the claim, and in "signalbox show ${workId}" (wait.interruptId with --json).`,
    );
  }

  /** How the call is sent: with the idempotency key, where one was given. */
  call(): { readonly idempotencyKey?: string } {
    const key = this.global.idempotencyKey;
    return key === undefined ? {} : { idempotencyKey: key };
  }
}

/** @throws UsageError that names what was to be JSON */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new UsageError(`${what} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** `headSha` as it is written: `--head-sha`. */
function flagOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Without what was left out: bodies must not carry fields nobody gave. */
export function present<T extends Record<string, unknown>>(
  fields: T,
): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>;
  };
}
