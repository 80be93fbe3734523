import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Serving } from '../http/serving.js';
import { drop, hasChromium, launch, picture, seriousFindings, signedIn } from './browsing.js';
import {
  HOSTILE,
  LONG_JAPANESE_TITLE,
  gated,
  handIn,
  invoiceAtGate,
  seedPeople,
  started,
  submitted,
  type Seeds,
} from './seeding.js';
import { servingCockpit } from './visiting.js';

const TIME_LIMIT_ms = 90_000;

describe.skipIf(!hasChromium)('the cockpit in a browser', { timeout: TIME_LIMIT_ms }, () => {
  let here: Serving;
  let browser: Browser;
  let seeds: Seeds;
  beforeAll(async () => {
    here = await servingCockpit();
    browser = await launch();
    seeds = await seedPeople(here.box);
    await seeds.owner.register({ workId: 'found-1', title: 'Something found', input: {} });
    await submitted(seeds, { workId: 'rev-1', title: 'Compare the three offers for the roof' });
    await gated(
      seeds,
      {
        workId: 'hostile',
        title: HOSTILE,
        text: `# ${HOSTILE}\n\n[press](javascript:window.hacked=1) ${HOSTILE}\n\n![x](https://elsewhere.example/x.png)\n\n<script>window.hacked=1</script>\n`,
        notes: HOSTILE,
      },
      HOSTILE,
    );
    await gated(seeds, { workId: 'ja-1', title: LONG_JAPANESE_TITLE });
  }, TIME_LIMIT_ms);
  afterAll(async () => {
    await browser.close();
    await here.close();
  });

  it('an owner signs in by link, reads what stands behind a gate, and approves it', async () => {
    const workId = await invoiceAtGate(seeds, 'NP-1', 'Invoice NP-1');
    const { context, page, faults } = await signedIn(browser, here);
    expect(page.url()).toBe(`${here.url}/`);
    await picture(page, 'board');
    await page.click('nav.sections a[href="/gates"]');
    await page.click('text=Invoice NP-1');
    await picture(page, 'gate');
    const text = await page.innerText('main');
    expect(text).toContain('May this be done: pay it?');
    expect(text).toContain('wanda');
    expect(text).toContain('mail:2025-04-02/14');
    expect(await page.locator('tr.added').count()).toBeGreaterThan(0);
    await page.fill('#decide-reason', 'Agreed with purchasing.');
    await page.click('button[value="approve"]');
    await page.waitForURL(/\/gates\?done=/);
    expect((await seeds.owner.show(workId)).status).toBe('MERGE_READY');
    expect(faults).toEqual([]);
    await context.close();
  });

  it('a second tab is refused on what was decided meanwhile, is told so, and keeps the reason that was typed', async () => {
    await gated(seeds, { workId: 'stale-1', title: 'Publish the report' });
    const { context, page } = await signedIn(browser, here);
    const second = await context.newPage();
    await page.goto(`${here.url}/gates/stale-1`);
    await second.goto(`${here.url}/gates/stale-1`);
    await second.fill('#decide-reason', 'My long and careful reason.');
    await page.fill('#decide-reason', 'Not like this.');
    await page.click('button[value="rework"]');
    await page.waitForURL(/done=/);
    await second.locator('#changed-note').waitFor({ state: 'visible' });
    expect(await second.inputValue('#decide-reason')).toBe('My long and careful reason.');
    await second.click('button[value="approve"]');
    await second.locator('.refusal').waitFor();
    expect(await second.innerText('.refusal')).toMatch(/ALREADY_DECIDED/);
    expect(await second.inputValue('#kept')).toBe('My long and careful reason.');
    expect(await second.getAttribute('.refused a', 'href')).toBe('/works/stale-1');
    expect((await seeds.owner.show('stale-1')).status).toBe('REWORK');
    await context.close();
  });

  it('the board changes while it is looked at, says when its connection is lost, and catches up', async () => {
    const { context, page } = await signedIn(browser, here);
    const count = async (): Promise<number> => Number(await page.innerText('#station-DISCOVERED .count'));
    const before = await count();
    await seeds.owner.register({ workId: 'live-1', input: {} });
    await expect.poll(count, { timeout: 15_000 }).toBe(before + 1);
    await context.setOffline(true);
    await page.locator('#connection').waitFor({ state: 'visible' });
    await seeds.owner.register({ workId: 'live-2', input: {} });
    await context.setOffline(false);
    await page.locator('#connection').waitFor({ state: 'hidden' });
    await expect.poll(count, { timeout: 15_000 }).toBe(before + 2);
    await context.close();
  });

  it('a gate is decided by keyboard alone', async () => {
    await gated(seeds, { workId: 'keys-1', title: 'By keyboard' });
    const { context, page } = await signedIn(browser, here);
    const focused = (): Promise<string> =>
      page.evaluate<string>(
        "document.activeElement.getAttribute('value') ?? document.activeElement.textContent",
      );
    const tabTo = async (wanted: string): Promise<void> => {
      for (let presses = 0; presses < 60; presses += 1) {
        await page.keyboard.press('Tab');
        if ((await focused()).trim() === wanted) return;
      }
      throw new Error(`Tab never came to ${wanted}`);
    };
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to the content');
    await tabTo('Gates');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/gates$/);
    await tabTo('By keyboard');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/gates\/keys-1$/);
    for (let presses = 0; presses < 60; presses += 1) {
      await page.keyboard.press('Tab');
      if (await page.evaluate<boolean>("document.activeElement.id === 'decide-reason'")) break;
    }
    await page.keyboard.type('Seen and agreed.');
    await tabTo('approve');
    await page.keyboard.press('Enter');
    await page.waitForURL(/done=keys-1/);
    expect((await seeds.owner.show('keys-1')).gate).toBeNull();
    await context.close();
  });

  it('whatever workers write is text: nothing of it runs, loads or leads anywhere', async () => {
    const { context, page, faults } = await signedIn(browser, here);
    const foreign: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(here.url) && !request.url().startsWith('data:'))
        foreign.push(request.url());
    });
    for (const path of ['/', '/gates', '/gates/hostile', '/works/hostile', '/basket?q=img']) {
      await page.goto(`${here.url}${path}`);
      expect(await page.innerText('main')).toContain('<img src=x');
      expect(await page.evaluate('window.hacked')).toBeUndefined();
      expect(await page.locator('a[href^="javascript:"], main img, main script').count()).toBe(0);
    }
    await picture(page, 'hostile');
    expect([foreign, faults]).toEqual([[], []]);
    await context.close();
  });

  it('every page holds no serious accessibility finding, and on a phone none scrolls sideways, in both languages', async () => {
    const paths = [
      '/',
      '/gates',
      '/gates/ja-1',
      '/reviews',
      '/reviews/rev-1',
      '/basket',
      '/basket?view=gates',
      '/works/ja-1',
      '/health',
      '/daily',
      '/people',
      '/import',
    ];
    const wide = await signedIn(browser, here);
    const phone = await signedIn(browser, here, 'owner', {
      viewport: { width: 390, height: 844 },
      locale: 'ja-JP',
      colorScheme: 'dark',
    });
    const findings: string[] = [];
    for (const path of paths) {
      for (const { page, name } of [
        { page: wide.page, name: 'wide' },
        { page: phone.page, name: 'phone' },
      ]) {
        const response = await page.goto(`${here.url}${path}`);
        expect([path, response?.status()]).toEqual([path, 200]);
        for (const finding of await seriousFindings(page)) findings.push(`${path} ${name}: ${finding}`);
        if (name === 'phone') await picture(page, `phone-ja${path.replaceAll(/[^a-z0-9-]+/gi, '_')}`);
      }
      expect(await phone.page.getAttribute('html', 'lang')).toBe('ja');
      const width = await phone.page.evaluate<number>('document.documentElement.scrollWidth');
      expect([path, width]).toEqual([path, 390]);
    }
    expect(findings).toEqual([]);
    expect([...wide.faults, ...phone.faults]).toEqual([]);
    await wide.context.close();
    await phone.context.close();
  });

  it('an import by dropping a file shows its progress, what was taken, and the lines that were refused', async () => {
    const { context, page, faults } = await signedIn(browser, here);
    await page.goto(`${here.url}/import`);
    const lines = [
      ...Array.from({ length: 250 }, (_, index) =>
        JSON.stringify({ workId: `in-${index}`, input: { index } }),
      ),
      'not json',
      JSON.stringify({ workId: 'in/bad', input: {} }),
    ];
    await drop(page, '#drop', { name: 'backlog.jsonl', text: `${lines.join('\n')}\n` });
    await page.locator('#import-next').waitFor({ state: 'visible', timeout: 30_000 });
    await picture(page, 'import-done');
    expect(await page.getAttribute('#import-progress', 'value')).toBe('1');
    expect(await page.innerText('#import-refused')).toContain('251');
    expect(await page.innerText('#import-state')).toContain('Lines: 252 · new 250 · known 0 · refused 2');
    expect(await page.locator('#import-refused tbody tr').count()).toBe(2);
    await page.goto(`${here.url}/basket?status=DISCOVERED&sort=-created`);
    await page.click('a[rel="next"]');
    expect(await page.locator('table.works tbody tr').count()).toBe(50);
    expect(faults).toEqual([]);
    await context.close();
  });

  it('an operator works a case to its end: claims it, asks for material, decides it, and its origin goes on', async () => {
    const operator = here.box.as('oskar');
    await started(seeds, { workId: 'run-9', title: 'Answer the customer' });
    const { wait } = await seeds.worker.show('run-9');
    await seeds.worker.block('run-9', { interruptId: wait?.interruptId, reason: 'Above my limit.' });
    const { work } = await seeds.worker.recordException({
      exceptionId: 'ex-1',
      origin: { system: 'signalbox', runId: 'run-9' },
      classification: 'refund',
      summary: 'Refund above the limit',
      occurredAt: new Date().toISOString(),
      evidence: [{ label: 'Mail of the customer', body: { text: HOSTILE } }],
    });
    if (work.status === 'DISCOVERED') await operator.promote(work.workId, { reason: 'a case' });
    const { context, page, faults } = await signedIn(browser, here, 'oskar');
    await page.goto(`${here.url}/works/${work.workId}`);
    await page.click('form[action$="/act/claim"] button');
    await page.waitForURL(/done=claim/);
    await page.click('summary:has-text("Ask for material")');
    await page.fill('#ask-who', 'legal');
    await page.fill('#ask-what', 'What does the contract say?');
    await page.click('form[action$="/case/ask"] button');
    await page.waitForURL(/done=ask/);
    await page.fill('#material-reason', 'The contract says so.');
    await page.fill('#material-ref', 'https://contracts.example/17');
    await page.click('form[action$="/case/material"] button');
    await page.waitForURL(/done=material/);
    await page.fill('#decide-decision', 'refund in full');
    await page.fill('#decide-reason', 'The contract allows it.');
    await page.click('form[action$="/case/decide"] button');
    await page.waitForURL(/done=decide/);
    expect((await operator.showCase(work.workId)).decidedBy).toBe('oskar');
    const settled = async (): Promise<string> => (await seeds.owner.show(work.workId)).status;
    await expect.poll(settled, { timeout: 30_000 }).toBe('DONE');
    await page.reload();
    await picture(page, 'case-settled');
    expect(await page.innerText('main')).toContain('The origin has been told.');
    expect(await page.textContent('.node-current text')).toBe('Done');
    expect(await page.innerText('.timeline .entry .move')).toMatch(/To be completed\s*→\s*Done/);
    expect((await seeds.owner.show('run-9')).status).toBe('IN_PROGRESS');
    expect(faults).toEqual([]);
    await context.close();
  });

  it('a work page tells that the work has changed, and shows all of its record', async () => {
    const interruptId = await started(seeds, { workId: 'told-1', title: 'Told' });
    const { context, page } = await signedIn(browser, here);
    await page.goto(`${here.url}/works/told-1`);
    await handIn(seeds, { workId: 'told-1' }, interruptId);
    await page.locator('#changed-note').waitFor({ state: 'visible' });
    await page.click('#changed-note a');
    await page.waitForLoadState();
    const text = await page.innerText('main');
    expect(text).toContain('wanda handed in result');
    expect(await page.textContent('.node-current text')).toBe('Review');
    await context.close();
  });
});

describe.skipIf(!hasChromium)('the first visit', { timeout: TIME_LIMIT_ms }, () => {
  it('walks through a late submission that is turned away, on the sample invoices', async () => {
    const here = await servingCockpit();
    const browser = await launch();
    try {
      const { page, faults } = await signedIn(browser, here);
      await picture(page, 'guide');
      expect(await seriousFindings(page)).toEqual([]);
      await page.click('form[action="/guide/late"] button');
      await page.waitForURL(/guide=late/);
      await picture(page, 'guide-late');
      expect(await page.innerText('.timeline')).toMatch(/INPUT_CHANGED/);
      expect((await here.box.as('owner').list({})).total).toBe(1);
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
      await here.close();
    }
  });
});
