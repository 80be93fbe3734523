import { stripVTControlCharacters } from 'node:util';
import { LIMITS } from '../core/limits.js';

/** The log of one task, for a person to read: no colours, and a bound; what is over it is counted. */
export class KeptLog {
  private readonly lines: string[] = [];
  private kept_chars = 0;
  private dropped = 0;

  add(line: string): void {
    const clean = stripVTControlCharacters(line);
    if (this.kept_chars + clean.length > LIMITS.taskLog_chars) {
      this.dropped += 1;
      return;
    }
    this.kept_chars += clean.length + 1;
    this.lines.push(clean);
  }

  /** The last lines in one, for a reason that fits in a sentence. */
  tail(lines: number): string {
    return this.lines
      .slice(-lines)
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .join(' | ');
  }

  text(): string {
    const dropped = this.dropped === 0 ? '' : `[${this.dropped} more lines were dropped]\n`;
    return this.lines.map((line) => `${line}\n`).join('') + dropped;
  }
}
