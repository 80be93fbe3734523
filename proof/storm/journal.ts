import { openSync, readFileSync, writeSync } from 'node:fs';

/** An answer that a server has acknowledged: from here on it must never be lost. */
export interface Acknowledged {
  readonly kind: 'acknowledged';
  readonly at_ms: number;
  readonly lane: string;
  readonly verb: string;
  readonly key: string | null;
  readonly workId?: string;
  readonly receiptId?: string;
  /** Of a registration: created, existing, corrected, follow_up. */
  readonly outcome?: string;
  /** Of an artifact. */
  readonly sha256?: string;
  /** Of an announced effect that may now be done. */
  readonly goAhead?: string;
  /** How often it was sent until it was answered. */
  readonly tries: number;
}

/** A refusal; most are what a race looks like from its losing side. */
export interface Refused {
  readonly kind: 'refused';
  readonly at_ms: number;
  readonly lane: string;
  readonly verb: string;
  readonly code: string;
  readonly detail: string;
}

/** What no server may ever answer, or that none answered for too long. */
export interface Trouble {
  readonly kind: 'trouble';
  readonly at_ms: number;
  readonly lane: string;
  readonly verb: string;
  readonly what: string;
}

export type Entry = Acknowledged | Refused | Trouble;

/** A client's own record of what it was told, in a file of its own. An entry survives `kill -9` of who wrote it. */
export class Journal {
  private readonly file: number;

  constructor(path: string) {
    this.file = openSync(path, 'a');
  }

  write(entry: Entry): void {
    writeSync(this.file, `${JSON.stringify(entry)}\n`);
  }
}

/** All entries of all files, oldest first. A last line that a kill cut short was never relied on. */
export function readJournals(paths: readonly string[]): Entry[] {
  return paths
    .flatMap((path) => readFileSync(path, 'utf8').split('\n'))
    .flatMap((line) => {
      try {
        return line === '' ? [] : [JSON.parse(line) as Entry];
      } catch {
        return [];
      }
    })
    .toSorted((one, other) => one.at_ms - other.at_ms);
}
