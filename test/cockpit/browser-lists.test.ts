import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Serving } from '../http/serving.js';
import { hasChromium, launch, picture, seriousFindings, signedIn } from './browsing.js';
import { LONG_JAPANESE_TITLE, gated, seedPeople, started, type Seeds } from './seeding.js';
import { servingCockpit } from './visiting.js';

const TIME_LIMIT_ms = 90_000;

describe.skipIf(!hasChromium)('lists and forms in a browser', { timeout: TIME_LIMIT_ms }, () => {
  let here: Serving;
  let browser: Browser;
  let seeds: Seeds;
  beforeAll(async () => {
    here = await servingCockpit();
    browser = await launch();
    seeds = await seedPeople(here.box);
    for (const [workId, title] of [
      ['lamp-1', 'Signal lamp at Kita'],
      ['lamp-2', 'Points at Kita'],
      ['lamp-3', LONG_JAPANESE_TITLE],
    ] as const)
      await started(seeds, { workId, title });
  }, TIME_LIMIT_ms);
  afterAll(async () => {
    await browser.close();
    await here.close();
  });

  const titles = (page: Page): Promise<string[]> => page.locator('table.works .title a').allInnerTexts();

  it('a list follows its filters as they are set, its address with it; a view can be kept under a name', async () => {
    const { context, page, faults } = await signedIn(browser, here);
    await page.goto(`${here.url}/basket?view=in_progress`);
    await page.locator('.filters input[name="q"]').pressSequentially('kita', { delay: 20 });
    await page.waitForURL(/\/basket\?view=in_progress&q=kita$/);
    await expect.poll(() => titles(page)).toEqual(['Signal lamp at Kita', 'Points at Kita']);
    expect(await page.inputValue('.filters input[name="q"]')).toBe('kita');
    await page.fill('#saved input[name="name"]', 'Kita station');
    await page.click('#saved form button');
    await page.selectOption('.filters select[name="status"]', 'REWORK');
    await page.waitForURL(/q=kita&status=REWORK$/);
    await expect.poll(() => titles(page)).toEqual([]);
    await page.click('#views a:has-text("Gates")');
    await page.waitForURL(/view=gates&q=kita&status=REWORK$/);
    await page.click('#saved a:has-text("Kita station")');
    await page.waitForURL(/\/basket\?view=in_progress&q=kita$/);
    expect(await titles(page)).toEqual(['Signal lamp at Kita', 'Points at Kita']);
    await picture(page, 'basket-filtered');
    expect(await seriousFindings(page)).toEqual([]);
    await page.goBack();
    await page.waitForURL(/view=gates/);
    await page.click('#saved button[aria-label="Forget the saved view Kita station"]');
    expect(await page.locator('#saved li').count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  });

  const decideWithoutSession = async (context: BrowserContext, page: Page, workId: string): Promise<void> => {
    await page.goto(`${here.url}/gates/${workId}`);
    await page.fill('#decide-reason', 'A reason that took me ten minutes.');
    await context.clearCookies();
    await page.click('button[value="approve"]');
    await page.locator('#kept-title').waitFor();
    expect(await page.innerText('main')).toContain('A reason that took me ten minutes.');
  };

  it('a decision that is sent after its session ended is kept, and is given after signing in anew', async () => {
    await gated(seeds, { workId: 'late-1', title: 'Publish the timetable' });
    const { context, page, faults } = await signedIn(browser, here);
    await decideWithoutSession(context, page, 'late-1');
    await picture(page, 'session-ended');
    expect(await seriousFindings(page)).toEqual([]);
    await page.fill('#token', here.ownerToken);
    await page.click('.sign-in form[action="/sign-in"] button');
    await page.locator('text=Not sent yet').first().waitFor();
    await picture(page, 'send-again');
    expect((await seeds.owner.show('late-1')).status).toBe('OWNER_GATE');
    await page.click('form[action="/gates/late-1"] button');
    await page.waitForURL(/\/gates\?done=late-1/);
    const decision = (await seeds.owner.receipts('late-1')).findLast(({ action }) => action === 'decide');
    expect(decision?.submission).toMatchObject({ reason: 'A reason that took me ten minutes.' });
    expect(faults).toEqual([]);
    await context.close();
  });

  it('the same where its reader has signed in by a link in another tab meanwhile', async () => {
    await gated(seeds, { workId: 'late-2', title: 'Publish the map' });
    const { context, page } = await signedIn(browser, here);
    await decideWithoutSession(context, page, 'late-2');
    const other = await context.newPage();
    const { path } = await seeds.owner.createSignInLink({ principal: 'owner' });
    await other.goto(`${here.url}${path}`);
    await other.click('.sign-in button.primary');
    await other.waitForURL(`${here.url}/`);
    await page.click('form[action="/send-again"] button');
    await page.click('form[action="/gates/late-2"] button');
    await page.waitForURL(/\/gates\?done=late-2/);
    expect((await seeds.owner.show('late-2')).status).not.toBe('OWNER_GATE');
    await context.close();
  });

  it('the record of a work is proved in place', async () => {
    const { context, page, faults } = await signedIn(browser, here);
    await page.goto(`${here.url}/works/lamp-1`);
    await page.click('#verified a');
    await page.locator('#verified .notice-good').waitFor();
    expect(page.url()).toBe(`${here.url}/works/lamp-1`);
    expect(await page.innerText('#verified')).toContain('Yes. Every link of its history holds');
    expect(faults).toEqual([]);
    await context.close();
  });
});
