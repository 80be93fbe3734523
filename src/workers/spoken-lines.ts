import { keptText } from '../core/kept-text.js';
import { LIMITS } from '../core/limits.js';
import type { Progress } from './task.js';

/** What a line of a command's output means to the worker that runs it. */
export type SpokenLine =
  | { readonly what: 'progress'; readonly progress: Progress }
  | { readonly what: 'head-sha'; readonly headSha: string }
  | { readonly what: 'item'; readonly item: string };

const PROGRESS = /^progress\s+(\d{1,15}(?:\.\d{1,15})?)(?:\s*\/\s*(\d{1,15}(?:\.\d{1,15})?))?(?:\s+(\S.*))?$/;
const NOTE = /^progress\s+(\S.*)$/;
const HEAD_SHA = /^head-sha\s+([0-9a-f]{40}|[0-9a-f]{64})$/;
const ITEM = /^item\s+(\S.*)$/;

/**
 * Reads a line that a command prints: `progress 3/10 a note`, `progress a note`, `head-sha <full commit>`,
 * `item <name>`. Any other line is null: it belongs to the log alone.
 */
export function spokenLine(line: string): SpokenLine | null {
  const text = line.trim();
  const counted = PROGRESS.exec(text);
  if (counted) {
    const [, done, total, note] = counted;
    const progress: Progress = {
      done: Number(done),
      ...(total === undefined ? {} : { total: Number(total) }),
      ...(note === undefined ? {} : { note: keptText(note, LIMITS.note_chars) }),
    };
    return { what: 'progress', progress };
  }
  const noted = NOTE.exec(text);
  if (noted?.[1] !== undefined)
    return { what: 'progress', progress: { note: keptText(noted[1], LIMITS.note_chars) } };
  const headSha = HEAD_SHA.exec(text)?.[1];
  if (headSha !== undefined) return { what: 'head-sha', headSha };
  const item = ITEM.exec(text)?.[1];
  return item === undefined ? null : { what: 'item', item: keptText(item, LIMITS.item_chars) };
}
