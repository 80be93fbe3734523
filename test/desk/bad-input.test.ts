import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/core/limits.js';
import { all, sql } from '../../src/ledger/sql.js';
import { deskBox, type DeskBox } from '../support/desk-box.js';

let desk: DeskBox;
beforeAll(async () => {
  desk = await deskBox({ recover: false });
});
afterAll(() => desk.close());

const nested = (depth: number): unknown => (depth === 0 ? 1 : { in: nested(depth - 1) });
const parsed = (text: string): unknown => JSON.parse(text);
const BEYOND = LIMITS.json_depth + 1;

/** Everything that a registration could leave behind. */
const left = async (): Promise<unknown> =>
  await desk.box.desk.store.read(() =>
    all(sql`
      SELECT (SELECT count(*) FROM works) AS works, (SELECT count(*) FROM history) AS events,
        (SELECT count(*) FROM receipts) AS receipts, (SELECT count(*) FROM input_versions) AS versions,
        (SELECT count(*) FROM idempotency_keys) AS keys, (SELECT count(*) FROM checkpoints) AS checkpoints`),
  );

const invoice = {
  issuer: 'Acme',
  invoiceNumber: 'A-1',
  period: '2026-05',
  currency: 'EUR',
  total: 10,
  lines: [{ description: 'x', amount: 10 }],
};

describe('a registration is refused with the path of what is wrong, and leaves nothing behind:', () => {
  it.each<[string, unknown, string]>([
    ['no object', 'text', ''],
    ['an array', [], ''],
    ['nothing', null, ''],
    ['no input', { workId: 'w' }, '/input'],
    ['a workId of another type', { workId: 7, input: {} }, '/workId'],
    ['a workId that is no path segment', { workId: 'a/b', input: {} }, '/workId'],
    ['a workId that is too long', { workId: 'x'.repeat(LIMITS.workId_chars + 1), input: {} }, '/workId'],
    ['no workId where it is the identity', { input: {} }, '/workId'],
    ['an unknown kind', { kind: 'nonsense', workId: 'w', input: {} }, '/kind'],
    ['an unknown field', { workId: 'w', input: {}, status: 'DONE' }, ''],
    ['a priority out of range', { workId: 'w', input: {}, priority: 10 }, '/priority'],
    ['a date that is none', { workId: 'w', input: {}, dueAt: 'tomorrow' }, '/dueAt'],
    ['an empty correction', { workId: 'w', input: {}, correction: {} }, '/correction/reason'],
    ['a control character', { workId: 'w', input: { a: ['ok', 'x\u0000y'] } }, '/input/a/1'],
    ['a control character in a title', { workId: 'w', title: 'a\u0007', input: {} }, '/title'],
    ['half a surrogate pair', { workId: 'w', input: { a: '\ud800' } }, '/input/a'],
    ['a __proto__ key', { workId: 'w', input: parsed('{"a":{"__proto__":{"x":1}}}') }, '/input/a/__proto__'],
    [
      'a serialised LangChain object',
      { workId: 'w', input: { a: { lc: 1, type: 'constructor', id: ['x'], kwargs: {} } } },
      '/input/a',
    ],
    ['a number that JSON cannot hold', { workId: 'w', input: parsed('{"a":1e999}') }, '/input/a'],
    ['a value that is no JSON', { workId: 'w', input: { a: 1n } }, '/input/a'],
    ['a value with a class', { workId: 'w', input: { a: new Date(0) } }, '/input/a'],
    [
      'nesting without end',
      { workId: 'w', input: nested(BEYOND) },
      `/input${'/in'.repeat(LIMITS.json_depth - 1)}`,
    ],
    [
      'an invoice without its number',
      { kind: 'invoice-check', input: { ...invoice, invoiceNumber: undefined } },
      '/input/invoiceNumber',
    ],
    [
      'an invoice whose number is blank',
      { kind: 'invoice-check', input: { ...invoice, invoiceNumber: ' ' } },
      '/input/invoiceNumber',
    ],
    [
      'an invoice whose total is a text',
      { kind: 'invoice-check', input: { ...invoice, total: '10' } },
      '/input/total',
    ],
  ])('%s', async (_name, body, path) => {
    const before = await left();
    const error: unknown = await desk.owner
      .register(body, { idempotencyKey: 'k' })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'Refusal', code: 'INVALID' });
    const { details } = error as { details: { errors?: { path: string }[] } };
    expect(details.errors?.map((each) => each.path)).toContain(path);
    expect(await left()).toEqual(before);
  });

  it('input of ten megabytes is what HTTP refuses; the library takes it, whole and only once', async () => {
    const big = { text: 'x'.repeat(10 * 1_048_576) };
    await desk.owner.register({ workId: 'big', input: big });
    expect((await desk.owner.show('big')).input).toEqual(big);
  });
});

describe('strings of every sort are kept as they came:', () => {
  it.each([
    'ünïcödé',
    '漢字',
    '😀',
    "'; DROP TABLE works; --",
    '<script>',
    '\t\r\n',
    '${x}',
    '%s',
    '\\u0000',
  ])('%j', async (text) => {
    const workId = `kept-${Buffer.from(text).toString('hex')}`;
    await desk.owner.register({ workId, title: text, input: { [text]: [text] } });
    expect(await desk.owner.show(workId)).toMatchObject({ title: text, input: { [text]: [text] } });
    expect((await desk.owner.list({ q: text })).items.some((work) => work.workId === workId)).toBe(true);
  });
});
