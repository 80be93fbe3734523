import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  at,
  canonicalJson,
  changesBetween,
  contentSha256,
  derivedWorkId,
  identityOf,
  sha256,
  threadIdOf,
} from '../../src/core/identity.js';

describe('canonical JSON by RFC 8785', () => {
  it('writes the example of section 3.2.2 as section 3.2.4 has its bytes', () => {
    const given = JSON.parse(`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
      "literals": [null, true, false]
    }`) as unknown;
    expect(canonicalJson(given)).toBe(
      `{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA'B\\"\\\\\\\\\\"/"}`,
    );
  });

  it('sorts fields by UTF-16 code units, as in the example of section 3.2.3', () => {
    const given = JSON.parse(`{
      "\\u20ac": "Euro Sign",
      "\\r": "Carriage Return",
      "\\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\\ud83d\\ude00": "Emoji: Grinning Face",
      "\\u0080": "Control",
      "\\u00f6": "Latin Small Letter O With Diaeresis"
    }`) as Record<string, unknown>;
    const order = [...canonicalJson(given).matchAll(/:"([^"]+)"/g)].map((match) => match[1]);
    expect(order).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
  });

  /** Appendix B: IEEE 754 bits and their one spelling. */
  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('spells the number with the bits %s as %s', (bits, text) => {
    expect(canonicalJson(Buffer.from(bits, 'hex').readDoubleBE())).toBe(text);
  });

  it('has no form for what JSON cannot say', () => {
    for (const value of [undefined, Number.NaN, Number.POSITIVE_INFINITY, () => 1]) {
      expect(() => canonicalJson(value)).toThrow(/no JSON form|not allowed/);
    }
  });

  it('reads back as the same value, whatever the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
      { seed: 8785 },
    );
  });

  it('is blind to the order of fields and the spelling of numbers, and to nothing else', () => {
    const one = JSON.parse('{"total": 10.50, "lines": [{"a": 1, "b": 2}]}') as unknown;
    const other = JSON.parse('{"lines": [{"b": 2.0, "a": 1e0}], "total": 1.05e1}') as unknown;
    expect(contentSha256(one)).toBe(contentSha256(other));
    expect(contentSha256({ total: '10.5' })).not.toBe(contentSha256({ total: 10.5 }));
    expect(contentSha256([1, 2])).not.toBe(contentSha256([2, 1]));
  });
});

describe('the identity of a work', () => {
  const invoice = { name: 'invoice', identity: ['/issuer', '/number', '/period/month'] };
  const idOf = (input: unknown) => identityOf(invoice, input, 'any');
  const known = idOf({ issuer: 'Café', number: 'R-7', period: { month: 5 } });

  it('is the same for composed and decomposed letters, and for stray blanks around', () => {
    expect(idOf({ issuer: 'Cafe\u0301', number: '  R-7\t', period: { month: 5 } })).toEqual(known);
  });

  it('is the same however the rest of the input differs', () => {
    expect(idOf({ period: { month: 5, x: 1 }, number: 'R-7', issuer: 'Café', total: 99 })).toEqual(known);
  });

  it.each([
    ['letter case', { issuer: 'CAFÉ', number: 'R-7', period: { month: 5 } }],
    ['a number that is a text', { issuer: 'Café', number: 'R-7', period: { month: '5' } }],
    ['one character', { issuer: 'Café', number: 'R-8', period: { month: 5 } }],
    ['values that changed places', { issuer: 'R-7', number: 'Café', period: { month: 5 } }],
  ])('differs by %s', (_name, input) => {
    expect(idOf(input)).not.toEqual(known);
  });

  it.each([
    ['is not there', { issuer: 'Café', period: { month: 5 } }, '/number'],
    ['is blank', { issuer: ' ', number: 'R-7', period: { month: 5 } }, '/issuer'],
    ['is null', { issuer: 'Café', number: 'R-7', period: { month: null } }, '/period/month'],
    [
      'is inherited',
      { issuer: 'Café', number: 'R-7', period: Object.create({ month: 5 }) as object },
      '/period/month',
    ],
  ])('is refused where a field of it %s', (_name, input, missing) => {
    expect(idOf(input)).toEqual({ ok: false, missing });
  });

  it('does not run two fields together: each keeps its place', () => {
    const two = { name: 'k', identity: ['/a', '/b'] };
    const one = identityOf(two, { a: 'x', b: 'yz' }, '');
    expect(identityOf(two, { a: 'xy', b: 'z' }, '')).not.toEqual(one);
  });

  it('is the workId where a kind names no fields, and one kind is not another', () => {
    const generic = { name: 'generic', identity: [] };
    expect(identityOf(generic, { a: 1 }, 'w')).toEqual(identityOf(generic, { a: 2 }, 'w'));
    expect(identityOf(generic, {}, 'w')).not.toEqual(identityOf(generic, {}, 'v'));
    expect(identityOf({ name: 'other', identity: [] }, {}, 'w')).not.toEqual(identityOf(generic, {}, 'w'));
  });

  it('gives a workId that stays', () => {
    expect(derivedWorkId('invoice', sha256('x'))).toBe('invoice-2d711642b726b044');
  });
});

describe('a thread', () => {
  it('is a UUID of tenant and workId, for ever the same', () => {
    expect(threadIdOf('default', 'w-1')).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(threadIdOf('default', 'a')).toBe('c998c8f8-5846-53cb-be42-860f78ea03c2');
  });

  it('is not shared by a tenant and a work whose names run together', () => {
    expect(threadIdOf('a', 'bc')).not.toBe(threadIdOf('ab', 'c'));
    expect(threadIdOf('a","b', 'c')).not.toBe(threadIdOf('a', 'b","c'));
  });
});

describe('the differences of two inputs', () => {
  it('name each field by its pointer, with both sides', () => {
    expect(
      changesBetween(
        { total: 10, gone: 1, 'a/b~c': 1, lines: [{ n: 1 }, { n: 2 }] },
        { total: 12, new: null, 'a/b~c': 2, lines: [{ n: 1 }, { n: 3 }, { n: 4 }] },
      ),
    ).toEqual([
      { path: '/total', before: 10, after: 12 },
      { path: '/gone', before: 1 },
      { path: '/a~1b~0c', before: 1, after: 2 },
      { path: '/lines/1/n', before: 2, after: 3 },
      { path: '/lines/2', after: { n: 4 } },
      { path: '/new', after: null },
    ]);
  });

  it('are none between equal values, and lead from one to the other by their pointers', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
        expect(changesBetween(before, before)).toEqual([]);
        const changes = changesBetween(before, after);
        const told = (side: 'before' | 'after') =>
          changes.filter((change) => side in change).map((change) => canonicalJson(change[side]));
        const there = (side: 'before' | 'after', value: unknown) =>
          changes.filter((change) => side in change).map((change) => canonicalJson(at(value, change.path)));
        expect(there('before', before)).toEqual(told('before'));
        expect(there('after', after)).toEqual(told('after'));
      }),
      { seed: 6901 },
    );
  });
});
