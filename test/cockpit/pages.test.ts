import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Serving } from '../http/serving.js';
import { HOSTILE, gated, invoiceAtGate, seedPeople, started, submitted, type Seeds } from './seeding.js';
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

/** A form of a page with its hidden fields, and what a person fills in. */
async function filled(
  path: string,
  action: string,
  fields: Record<string, string>,
): Promise<Record<string, string>> {
  return { ...formOf((await owner.get(path)).text, action), ...fields };
}

describe('a gate', () => {
  it('is approved by the form, for exactly the interrupt and the artifact that the page showed', async () => {
    const workId = await invoiceAtGate(seeds, 'P-1');
    const { wait, artifactSha256 } = await seeds.owner.show(workId);
    const form = await filled(`/gates/${workId}`, `/gates/${workId}`, {
      decision: 'approve',
      reason: 'fine',
    });
    expect(form).toMatchObject({ interruptId: wait?.interruptId, artifactSha256, gateAction: 'pay' });
    const answer = await owner.post(`/gates/${workId}`, form);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/gates?done=${workId}`]);
    const again = await owner.post(`/gates/${workId}`, form);
    expect([again.status, again.headers.get('location')]).toEqual([303, `/gates?done=${workId}`]);
    const decisions = (await seeds.owner.receipts(workId)).filter(({ action }) => action === 'decide');
    expect(decisions.map(({ outcome }) => outcome)).toEqual(['accepted']);
  });

  it('refuses a stale form: says what changed, leads to what is current, and keeps the typed reason', async () => {
    await gated(seeds, { workId: 'stale', text: 'one' });
    const form = await filled('/gates/stale', '/gates/stale', {
      decision: 'approve',
      reason: 'typed with care',
    });
    await seeds.owner.register({
      workId: 'stale',
      input: { say: 'else' },
      correction: { reason: 'it was wrong' },
    });
    const answer = await owner.post('/gates/stale', form);
    expect(answer.status).toBe(409);
    expect(answer.text).toContain('INPUT_CHANGED');
    expect(answer.text).toContain('/say');
    expect(answer.text).toMatch(/<textarea[^>]*id="kept"[^>]*>typed with care/);
    expect(answer.text).toContain('href="/works/stale"');
  });

  it('is the owner’s alone: a worker sees it and is refused, with the refusal on record', async () => {
    await gated(seeds, { workId: 'theirs' });
    const worker = await signedInVisitor(here, await here.tokenOf('oskar', ['operator', 'worker']));
    const page = await worker.get('/gates/theirs');
    expect(page.text).toContain('Only an owner can decide here');
    const form = formOf(page.text, '/gates/theirs');
    const answer = await worker.post('/gates/theirs', { ...form, decision: 'approve', reason: 'me' });
    expect([answer.status, answer.text.includes('OWNER_ONLY')]).toEqual([403, true]);
    expect((await seeds.owner.show('theirs')).status).toBe('OWNER_GATE');
  });
});

describe('a review', () => {
  it('is given by the form, findings one a line', async () => {
    await submitted(seeds, { workId: 'rev' });
    const reviewer = await signedInVisitor(here, await here.tokenOf('rita', ['reviewer']));
    const form = formOf((await reviewer.get('/reviews/rev')).text, '/reviews/rev');
    const bare = await reviewer.post('/reviews/rev', { ...form, verdict: 'REWORK', evidenceRef: 'log:1' });
    expect([bare.status, bare.text.includes('/findings')]).toEqual([422, true]);
    const next = formOf(bare.text, '/reviews/rev');
    const answer = await reviewer.post('/reviews/rev', {
      ...next,
      verdict: 'REWORK',
      evidenceRef: 'log:1',
      findings: 'first\r\n\r\nsecond',
    });
    expect(answer.status).toBe(303);
    const { findings, status } = await seeds.owner.show('rev');
    expect([status, findings.map(({ message }) => message)]).toEqual(['REWORK', ['first', 'second']]);
  });
});

describe('what workers bring', () => {
  it('is served as a download that cannot run, under a name that no header can break', async () => {
    const sha256 = await submitted(seeds, {
      workId: 'naïve-"x"\'-日本',
      text: HOSTILE,
      mediaType: 'text/html',
    });
    const answer = await owner.get(`/works/${encodeURIComponent('naïve-"x"\'-日本')}/artifacts/${sha256}`);
    expect(answer.text).toBe(HOSTILE);
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    const disposition = answer.headers.get('content-disposition') ?? '';
    expect(disposition).toMatch(
      /^attachment; filename="[A-Za-z0-9._-]+"; filename\*=UTF-8''[A-Za-z0-9%._~-]+$/,
    );
    expect(decodeURIComponent(disposition)).toContain('naïve-"x"\'-日本');
  });

  it('is escaped wherever it is shown', async () => {
    await gated(
      seeds,
      { workId: 'bad', title: HOSTILE, text: `${HOSTILE}\n\n> ${HOSTILE}`, notes: HOSTILE },
      HOSTILE,
    );
    await seeds.worker.note('bad', { text: HOSTILE });
    for (const path of ['/', '/gates', '/gates/bad', '/works/bad', '/basket']) {
      const { status, text } = await owner.get(path);
      expect([path, status]).toEqual([path, 200]);
      expect(text).not.toMatch(/<img src=x|<script>|<svg onload/);
      expect(text).toContain('&lt;img src=x');
    }
  });

  it('is shown as far as it can be read, and offered whole', async () => {
    const deep = `${'['.repeat(50)}${']'.repeat(50)}`;
    for (const [workId, text, mediaType] of [
      ['quotes', '>'.repeat(5_000), 'text/markdown'],
      ['deep', deep, 'application/json'],
      ['broken', '{"a":', 'application/json'],
      ['large', 'x'.repeat(600 * 1024), 'text/plain'],
      ['bytes', '\u0000\u0001', 'application/octet-stream'],
    ] as const) {
      await submitted(seeds, { workId, text, mediaType });
      const { status, text: page } = await owner.get(`/reviews/${workId}`);
      expect([workId, status, page.includes('download')]).toEqual([workId, 200, true]);
    }
  });
});

describe('the basket', () => {
  it('reassigns several at once, after a preview that changes nothing; one that moved meanwhile is told so', async () => {
    await seeds.owner.putPrincipal({ name: 'willi', roles: ['worker'] });
    for (const workId of ['hand-1', 'hand-2']) await started(seeds, { workId });
    const list = await owner.get('/basket?view=in_progress');
    expect(list.text).toContain('name="work" value="hand-1"');
    const asked = await owner.post('/basket/reassign', formOf(list.text, '/basket/reassign'), {});
    expect(asked.text).toContain('Nothing was selected');
    const preview = await owner.postMany('/basket/reassign', [
      ['work', 'hand-1'],
      ['work', 'hand-2'],
    ]);
    expect((await seeds.owner.show('hand-1')).holder).toBe('wanda');
    const waits = [...preview.text.matchAll(/name="wait" value="([^"]+)"/g)].map(
      (match): [string, string] => ['wait', (match[1] ?? '').replaceAll('&quot;', '"')],
    );
    expect(waits).toHaveLength(2);
    await seeds.owner.handoff('hand-2', {
      interruptId: (await seeds.owner.show('hand-2')).wait?.interruptId,
      reason: 'meanwhile',
    });
    const done = await owner.postMany('/basket/reassign/confirm', [
      ...waits,
      ['to', 'willi'],
      ['reason', 'holidays'],
    ]);
    expect(done.text).toMatch(/hand-1<\/a>: <bdi>reassigned/);
    expect(done.text).toMatch(/hand-2<\/a>: <bdi>(STALE_INTERRUPT|ALREADY_DECIDED)/);
    expect((await seeds.owner.show('hand-1')).holder).toBe('willi');
  });

  it('answers filters and searches from its address, and says plainly when there is nothing', async () => {
    const found = await owner.get('/basket?q=hand-1&status=&kind=&holder=&sort=due');
    expect(found.text).toContain('In all: 1');
    expect((await owner.get('/basket?q=no-such-thing')).text).toContain('Nothing here.');
    for (const path of ['/basket?view=nonsense', '/basket?cursor=x', '/basket?status=NO', '/works/none']) {
      const { status, text } = await owner.get(path);
      expect([path, status >= 400 && status < 500, text.includes('That was not possible')]).toEqual([
        path,
        true,
        true,
      ]);
    }
  });
});

describe('people', () => {
  it('get tokens that are shown once, on the answer itself, and never in an address', async () => {
    const made = await owner.post('/people/token', { name: 'rita' });
    const token = /sbx_[\w-]+/.exec(made.text)?.[0] ?? '';
    expect([made.status, token.length > 40]).toEqual([200, true]);
    expect((await owner.get('/people')).text).not.toContain(token);
    const link = await owner.post('/people/link', { name: 'rita' });
    expect(link.text).toMatch(/\/sign-in\?code=/);
    expect((await owner.get('/people')).text).not.toContain('code=');
  });

  it('are an owner’s to manage, whatever form is sent', async () => {
    const reviewer = await signedInVisitor(here, await here.tokenOf('rita', ['reviewer']));
    expect((await reviewer.get('/people')).text).not.toContain('/people/token');
    expect((await reviewer.post('/people/token', { name: 'owner' })).status).toBe(403);
    expect((await reviewer.post('/people', { name: 'mallory', role: 'owner' })).status).toBe(403);
  });

  it('pause and go on with claims by a switch', async () => {
    await owner.post('/people/switch', { switch: 'claims', paused: 'true', reason: 'holidays' });
    expect((await seeds.owner.switches()).claimsPaused).toBe(true);
    expect((await owner.get('/people')).text).toContain('holidays');
    await owner.post('/people/switch', { switch: 'claims', paused: 'false', reason: 'back' });
    expect((await seeds.owner.switches()).claimsPaused).toBe(false);
  });
});

describe('the live stream', () => {
  it('tells which work changed and nothing of what changed, and ends with its session', async () => {
    const browser = await signedInVisitor(here, here.ownerToken);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(`${here.url}/live`, { headers: { cookie } });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const reader = response.body?.getReader();
    let text = '';
    const until = async (wanted: RegExp): Promise<void> => {
      while (!wanted.test(text)) {
        const part = await reader?.read();
        if (!part || part.done) break;
        text += new TextDecoder().decode(part.value);
      }
    };
    await until(/event: here/);
    await seeds.owner.register({ workId: 'streamed', title: 'Secret title', input: {} });
    await until(/streamed/);
    expect(text).toContain('data: {"workId":"streamed"}');
    expect(text).not.toContain('Secret title');
    await browser.post('/sign-out');
    await seeds.owner.register({ workId: 'unseen', input: {} });
    await until(/unseen/);
    expect(text).not.toContain('unseen');
  });
});

describe('the rules of a kind', () => {
  it('are shown in the sentences that the desk makes from its table, and a work links to them', async () => {
    const page = await owner.get('/kinds/invoice-check');
    expect(page.status).toBe(200);
    const { rules } = await seeds.owner.rules('invoice-check');
    for (const { about } of rules) expect(page.text).toContain(`<dt>${about.replaceAll('_', ' ')}</dt>`);
    const workId = await invoiceAtGate(seeds, 'P-rules');
    expect((await owner.get(`/works/${workId}`)).text).toContain('href="/kinds/invoice-check"');
    expect((await owner.get('/kinds/nothing')).status).toBe(404);
  });
});
