import fc from 'fast-check';
import { hostileJsonText, hostileText, hostileValue } from './hostile.js';

/** A JSON value after one to three wrong turns: a member gone, added, or replaced, at any depth. */
export function mutated(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const turn = fc.record({
    seed: fc.nat(),
    how: fc.constantFrom('drop' as const, 'replace' as const, 'add' as const, 'wrap' as const),
    with: hostileValue,
    key: hostileText,
  });
  return fc
    .tuple(value, fc.array(turn, { minLength: 1, maxLength: 3 }))
    .map(([start, turns]) => turns.reduce<unknown>((now, each) => turned(now, each), start));
}

interface Turn {
  readonly seed: number;
  readonly how: 'drop' | 'replace' | 'add' | 'wrap';
  readonly with: unknown;
  readonly key: string;
}

function turned(value: unknown, turn: Turn): unknown {
  if (typeof value !== 'object' || value === null) return turn.how === 'wrap' ? [value] : turn.with;
  const entries: [string, unknown][] = Object.entries(value);
  const at = entries.length === 0 ? -1 : turn.seed % entries.length;
  const [name, member] = entries[at] ?? ['', undefined];
  const deeper = typeof member === 'object' && member !== null && turn.seed % 3 === 0;
  const changed: [string, unknown][] =
    turn.how === 'add' || at < 0
      ? [...entries, [turn.key, turn.with]]
      : turn.how === 'drop'
        ? entries.filter((_, index) => index !== at)
        : entries.with(at, [
            name,
            deeper
              ? turned(member, { ...turn, seed: Math.floor(turn.seed / 3) })
              : turn.how === 'wrap'
                ? [member]
                : turn.with,
          ]);
  return Array.isArray(value) ? changed.map(([, each]) => each) : Object.fromEntries(changed);
}

/** JSON text cut, doubled or spoiled somewhere. */
export function spoiled(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(
      text,
      fc.nat(),
      fc.nat({ max: 30 }),
      fc.oneof(hostileText, fc.constantFrom('{', '"', ',', '\\u', 'e999')),
    )
    .map(([whole, seed, cut, put]) => {
      const at = whole.length === 0 ? 0 : seed % whole.length;
      return `${whole.slice(0, at)}${put}${whole.slice(at + cut)}`;
    });
}

/** Bodies for a schema: good ones, mutated ones, spoiled text, and no JSON at all. */
export function bodies(good: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const text = good.map((value) => JSON.stringify(value) ?? '');
  return fc.oneof(
    { weight: 4, arbitrary: text },
    { weight: 4, arbitrary: mutated(good).map((value) => JSON.stringify(value) ?? '') },
    { weight: 1, arbitrary: spoiled(text) },
    { weight: 1, arbitrary: hostileJsonText },
  );
}
