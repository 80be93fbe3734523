import { LIMITS } from '../core/limits.js';
import { badLine, type BadLine } from './import-request.js';

/** Longest line taken, in bytes of UTF-8 without its line ending; a longer one is reported and skipped. */
export const LINE_LIMIT_bytes = LIMITS.importLine_bytes;

export type Chunks = AsyncIterable<Uint8Array | string>;
export type Line = { readonly ok: true; readonly line: number; readonly text: string } | BadLine;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;
/** Never occurs in UTF-8: stands for half a surrogate pair, so that its line is refused rather than altered. */
const NOT_UTF8 = 0xff;
const FIRST_ROOM_bytes = 4096;

/**
 * Splits a stream into lines of text and holds no more than one line. LF and CRLF end a line, the last needs
 * no ending, a byte order mark at the start is dropped, blank lines are counted but not given out. A line that
 * is too long or is not UTF-8 comes as a `BadLine`, and the lines after it go on.
 */
export async function* splitLines(
  chunks: Chunks,
  limit_bytes: number = LINE_LIMIT_bytes,
): AsyncGenerator<Line> {
  const current = new LineBuffer(limit_bytes);
  let line = 1;
  for await (const bytes of asBytes(chunks)) {
    let from = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, from)) {
      current.append(bytes.subarray(from, end));
      const taken = current.take(line);
      if (taken !== null) yield taken;
      line += 1;
      from = end + 1;
    }
    current.append(bytes.subarray(from));
  }
  const last = current.take(line);
  if (last !== null) yield last;
}

/** One line in the making: grows up to its limit, and past that only remembers that it was too long. */
class LineBuffer {
  private room = new Uint8Array(FIRST_ROOM_bytes);
  private length = 0;
  private tooLong = false;
  private readonly capacity: number;

  constructor(private readonly limit_bytes: number) {
    // The line ending's CR, and on the first line the mark, come on top of the limit until they are cut off.
    this.capacity = limit_bytes + BYTE_ORDER_MARK.length + 1;
  }

  append(bytes: Uint8Array): void {
    const length = this.length + bytes.length;
    if (this.tooLong || length > this.capacity) {
      this.tooLong = true;
      return;
    }
    if (length > this.room.length) {
      const grown = new Uint8Array(Math.min(this.capacity, Math.max(length, this.room.length * 2)));
      grown.set(this.room.subarray(0, this.length));
      this.room = grown;
    }
    this.room.set(bytes, this.length);
    this.length = length;
  }

  /** Ends the line and makes room for the next; null for a blank one. */
  take(line: number): Line | null {
    const bytes = this.room.subarray(
      line === 1 && this.startsWithMark() ? BYTE_ORDER_MARK.length : 0,
      this.end(),
    );
    const tooLong = this.tooLong || bytes.length > this.limit_bytes;
    this.length = 0;
    this.tooLong = false;
    if (tooLong) {
      const message = `is longer than ${this.limit_bytes} bytes`;
      return { ok: false, line, code: 'TOO_LARGE', message, path: '' };
    }
    const text = decode(bytes);
    if (text === null) return badLine(line, '', 'is not valid UTF-8');
    return text.trim() === '' ? null : { ok: true, line, text };
  }

  private end(): number {
    return this.length > 0 && this.room[this.length - 1] === CARRIAGE_RETURN ? this.length - 1 : this.length;
  }

  private startsWithMark(): boolean {
    return (
      this.length >= BYTE_ORDER_MARK.length && BYTE_ORDER_MARK.every((byte, at) => this.room[at] === byte)
    );
  }
}

/** Text of UTF-8 bytes, a byte order mark kept; null when they are not UTF-8. */
export function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Bytes of a stream whose chunks may be text; a surrogate pair that two chunks share is put together again. */
export async function* asBytes(chunks: Chunks): AsyncGenerator<Uint8Array> {
  let half = '';
  for await (const chunk of chunks) {
    if (typeof chunk !== 'string') {
      if (half !== '') yield encode(half);
      half = '';
      yield chunk;
      continue;
    }
    const text = half + chunk;
    const last = text.charCodeAt(text.length - 1);
    half = last >= 0xd800 && last <= 0xdbff ? text.slice(-1) : '';
    yield encode(half === '' ? text : text.slice(0, -1));
  }
  if (half !== '') yield encode(half);
}

function encode(text: string): Uint8Array {
  const parts = text.split(/\p{Surrogate}/u).map((part) => new TextEncoder().encode(part));
  const total = parts.reduce((sum, part) => sum + part.length, parts.length - 1);
  const bytes = new Uint8Array(total).fill(NOT_UTF8);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length + 1;
  }
  return bytes;
}
