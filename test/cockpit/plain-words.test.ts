import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exception } from '../basket/desk.js';
import type { Serving } from '../http/serving.js';
import { seedPeople, started, submitted, type Seeds } from './seeding.js';
import { formOf, servingCockpit, signedInVisitor, type Visitor } from './visiting.js';

let here: Serving;
let seeds: Seeds;
let owner: Visitor;
beforeAll(async () => {
  here = await servingCockpit();
  seeds = await seedPeople(here.box);
  owner = await signedInVisitor(here, here.ownerToken);
});
afterAll(() => here.close());

const pageOf = async (path: string): Promise<string> => (await owner.get(path)).text;

describe('the guide', () => {
  it('goes on to its second step after the first, and says what is done', async () => {
    const first = await owner.post('/guide/late', formOf(await pageOf('/'), '/guide/late'));
    const work = await pageOf(first.headers.get('location') ?? '');
    expect(work).toMatch(/Turned away[^]*?<a href="\/">Back to the board/);
    expect((await seeds.owner.list()).total).toBe(1);
    const board = await pageOf('/');
    expect(board).not.toContain('action="/guide/late"');
    expect(board).toMatch(/Let a late submission[^]*?>Done</);
    const second = await owner.post('/guide/samples', formOf(board, '/guide/samples'));
    const after = await pageOf(second.headers.get('location') ?? '');
    expect(after).toContain('The sample invoices are here');
    expect(after).not.toContain('/guide/');
    expect((await seeds.owner.list()).total).toBe(5);
  });
});

describe('what a page offers', () => {
  it('is no investigation of what is under way', async () => {
    await started(seeds, { workId: 'busy' });
    expect(await pageOf('/works/busy')).not.toContain('/act/investigate');
  });

  it('is to choose what is in progress, in every list that has some, and nothing else', async () => {
    await submitted(seeds, { workId: 'handed-in' });
    for (const path of ['/basket', '/basket?q=busy', '/basket?view=in_progress']) {
      const page = await pageOf(path);
      expect([path, page.includes('name="work" value="busy"')]).toEqual([path, true]);
      expect([path, page.includes('name="work" value="handed-in"')]).toEqual([path, false]);
    }
    expect(await pageOf('/basket?q=handed-in')).not.toContain('/basket/reassign');
  });

  it('is no kind of import that an import cannot make', async () => {
    const page = await pageOf('/import');
    expect(page).toContain('<option value="generic"');
    expect(page).not.toContain('exception-case');
  });

  it('tells one token from another', async () => {
    await owner.post('/people/token', { name: 'rita', label: 'ci' });
    await owner.post('/people/token', { name: 'rita', label: 'ci' });
    const tokens = (await seeds.owner.listTokens()).filter(({ label }) => label === 'ci');
    const page = await pageOf('/people');
    for (const { tokenId } of tokens) expect(page).toContain(`<code class="work-id">${tokenId}</code>`);
  });
});

describe('what a page says', () => {
  it('is not that a work waits which has ended', async () => {
    await seeds.owner.register({ workId: 'over', input: {} });
    const { wait } = await seeds.owner.show('over');
    await seeds.owner.cancel('over', { interruptId: wait?.interruptId, reason: 'not needed' });
    expect(await pageOf('/basket?q=over')).not.toContain('data-label="Waiting"');
  });

  it('is a title that names its kind once, and no part of the cockpit that the reader did not come from', async () => {
    const { work } = await seeds.owner.register({ workId: 'generic-7', input: {} });
    expect(work.title).toBe('generic-7');
    expect(await pageOf(`/works/${work.workId}`)).not.toContain('aria-current="page"');
  });

  it('of a case is what there is to judge, and which evidence a newer one has replaced', async () => {
    const operation = { version: 'order-7', sha256: 'b'.repeat(64) };
    const raised = exception('c-1', { operation, externalIds: { order: 'PO-99' } });
    const { work } = await seeds.owner.recordException(raised);
    await seeds.owner.recordException({
      ...raised,
      occurredAt: '2026-03-02T09:30:00Z',
      evidence: [{ label: 'quote', body: { price: 18 } }],
    });
    const page = await pageOf(`/works/${work.workId}`);
    for (const text of ['order-7', operation.sha256, 'PO-99', 'impact high', 'urgency medium'])
      expect(page).toContain(text);
    expect(page.match(/superseded by a newer one/g)).toHaveLength(1);
    const { evidence } = await seeds.owner.showCase(work.workId);
    expect(evidence.map(({ current }) => current)).toEqual([false, true]);
  });
});
