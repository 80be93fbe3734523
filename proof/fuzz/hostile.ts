import fc from 'fast-check';

/** Text that programs have stumbled over: control characters, broken UTF-16, names of JavaScript's own, markup, paths. */
const TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfff',
  '\ufeff',
  '\u202e',
  '\u001b[2J\u001b]0;title\u0007',
  'line\r\nbreak: yes',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  '-0',
  '1e999',
  '..',
  '../../../../etc/passwd',
  '..%2f..%2f',
  'C:\\windows',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '${7*7}',
  '{{7*7}}',
  '%00',
  '%',
  '%zz',
  "' OR '1'='1",
  "'; DROP TABLE works; --",
  '$(touch x)',
  '`touch x`',
  '9999-12-31T23:59:59.999Z',
  '0000-01-01T00:00:00+23:59',
  '2026-02-30T00:00:00Z',
  '😀'.repeat(40),
  'x'.repeat(300),
  'x'.repeat(30_000),
];

const NUMBERS: readonly number[] = [
  -1,
  0,
  -0,
  0.5,
  1e-320,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  2 ** 53 + 2,
  2 ** 63,
  -(2 ** 63),
  1e21,
  1.7e308,
];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ maxLength: 60 }),
);

export const hostileNumber: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(...NUMBERS),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const leaf: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  hostileNumber,
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom<unknown[]>([], {}, [[]], [null], { lc: 1, type: 'constructor', id: ['x'], kwargs: {} }),
  fc.constantFrom<unknown[]>({ lg_name: 'Send', node: 'x' }, { lc: 2, type: 'undefined' }, { length: -1 }),
);

/** Any JSON value, wrong in any way that JSON can be. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: leaf },
  { weight: 1, arbitrary: fc.array(leaf, { maxLength: 5 }) },
  // From entries, so that `__proto__` is a key of its own as it is after JSON.parse.
  {
    weight: 1,
    arbitrary: fc
      .array(fc.tuple(hostileText, leaf), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries)),
  },
);

/** JSON text that no JSON.stringify gives: duplicate keys, numbers beyond any type, endless nesting, half escapes. */
export const hostileJsonText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    '{',
    '[]]',
    'nonsense',
    '{"a":1,"a":2}',
    '{"workId":"twice","workId":"other","input":1,"input":2}',
    '{"workId":"big","input":123456789012345678901234567890}',
    '{"workId":"inf","input":1e999}',
    '{"workId":"half","input":"\\ud800"}',
    '{"workId":"nul","input":"\\u0000"}',
    '{"workId":"pro","input":{"__proto__":{"admin":true}}}',
    '{"__proto__":{"workId":"x"},"constructor":{"prototype":{"x":1}}}',
    '\ufeff{"workId":"bom","input":1}',
    '"text"',
    '0',
    'null',
    'true',
  ),
  fc.integer({ min: 1, max: 100_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc
    .integer({ min: 1, max: 20_000 })
    .map((depth) => `{"workId":"deep","input":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`),
  fc.json({ maxDepth: 4 }),
);

/** Bytes that are no text at all. */
export const hostileBytes: fc.Arbitrary<Uint8Array> = fc.uint8Array({ maxLength: 200 });
