import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import type { Statement } from 'better-sqlite3';
import type { SqliteStore } from './sqlite.js';
import { StoreError } from './store.js';

/** What an anchor's file is called beside its database. */
const SUFFIX = '-acknowledged';
/** Of a number, which stands there twice. */
const WIDTH_bytes = 24;

/**
 * How far this file's history was when somebody was last answered, kept beside the database and outside of it. SQLite
 * opens a database without its -wal, with a shortened one, or an empty file, and says nothing of what is missing; this
 * does. Written after each commit and before anybody is answered, never synced: a power cut may leave it behind what
 * the database holds, never ahead of it, so it raises no false alarm. (docs/decisions/0075)
 */
export class SqliteAnchor {
  private readonly file: string;
  private readonly position: Statement<[], { seq: number }>;
  private written = 0;

  /** @param store of a database that has its tables */
  constructor(private readonly store: SqliteStore) {
    this.file = `${store.connection.name}${SUFFIX}`;
    this.position = store.connection.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'history'");
  }

  /** @throws StoreError when the database holds less than was acknowledged */
  check(): void {
    const acknowledged = this.read();
    const held = this.held();
    if (held >= acknowledged) return;
    const database = basename(this.store.connection.name);
    throw new StoreError(
      `${this.store.connection.name} has lost what was acknowledged: its history ends at ${held}, and ${acknowledged} was reached. ` +
        `If it was copied, copy ${database}-wal and ${database}-shm too, from a desk that is stopped, or use "signalbox backup". ` +
        `If they are gone, restore the last backup into an empty folder ("signalbox restore"). ` +
        `To go on with what is left, remove ${basename(this.file)}.`,
    );
  }

  /** Begins to follow what is written. */
  follow(): void {
    this.write();
    this.store.onWritten(() => this.write());
  }

  private held(): number {
    return this.position.get()?.seq ?? 0;
  }

  /**
   * 0 where there is none, or none that can be read: a power cut, or another process that writes at this moment, may
   * leave the beginning of a new one before the end of an old one. It is there twice, so such a mixture never agrees.
   */
  private read(): number {
    try {
      const [first = '', second] = readFileSync(this.file, 'utf8').trim().split(/\s+/);
      const position = Number(first);
      return first === second && Number.isSafeInteger(position) ? position : 0;
    } catch {
      return 0;
    }
  }

  /** A folder that takes no anchor costs the check, not the desk. */
  private write(): void {
    const position = this.held();
    if (position === this.written) return;
    try {
      // In place and of one length, so that there is never an empty file or half a number.
      const text = `${String(position).padStart(WIDTH_bytes - 1)}\n`.repeat(2);
      const handle = this.written === 0 ? null : openSync(this.file, 'r+');
      if (handle === null) writeFileSync(this.file, text, { mode: 0o600 });
      else {
        writeSync(handle, text, 0);
        closeSync(handle);
      }
      this.written = position;
    } catch {
      this.written = 0;
    }
  }
}
