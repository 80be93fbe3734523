import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from 'playwright-core';
import { exception } from '../basket/desk.js';
import type { Serving } from '../http/serving.js';
import { hasChromium, launch, picture, signedIn } from './browsing.js';
import { seedPeople, started, submitted, type Seeds } from './seeding.js';
import { servingCockpit } from './visiting.js';

let here: Serving;
let seeds: Seeds;
let browser: Browser;
beforeAll(async () => {
  here = await servingCockpit();
  seeds = await seedPeople(here.box);
  if (hasChromium) browser = await launch();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await here.close();
});

describe.skipIf(!hasChromium)('a browser', () => {
  it('logs no error when a page is left while it renews itself', { timeout: 120_000 }, async () => {
    await started(seeds, { workId: 'moving' });
    const { page, context } = await signedIn(browser, here);
    const logged: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') logged.push(message.text());
    });
    // The answer of the refresh is kept waiting, so that the page is left in the midst of it.
    const asked: string[] = [];
    await page.route('**/basket*', async (route) => {
      if (route.request().headers()['hx-request'] !== 'true') return await route.continue();
      asked.push(route.request().url());
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      await route.continue().catch(() => undefined);
    });
    await page.goto(`${here.url}/basket`);
    await seeds.owner.note('moving', { text: 'something happened' });
    await expect.poll(() => asked.length, { timeout: 30_000 }).toBeGreaterThan(0);
    // Some browsers end what a page is asking for while it can still hear of it: here in so many words.
    await page.evaluate("window.dispatchEvent(new Event('beforeunload')); window.stop();");
    await page.waitForTimeout(500);
    await page.click('a[href="/health"]');
    await page.waitForURL('**/health');
    expect(logged).toEqual([]);
    await context.close();
  });

  it('shows long hashes within a phone, wherever a case has them', { timeout: 120_000 }, async () => {
    const sha256 = 'c0ffee'.repeat(11).slice(0, 64);
    const { work } = await seeds.owner.recordException(
      exception('wide', {
        operation: { version: 'order-7', sha256 },
        externalIds: { order: sha256 },
        evidence: [{ label: 'quote', body: { sha256, lines: [{ sha256, price: 17, note: sha256 }] } }],
      }),
    );
    const report = JSON.stringify({ sha256, parts: [{ name: 'one', sha256, size: 3 }] });
    await submitted(seeds, { workId: 'hashes', text: report, mediaType: 'application/json' });
    const { page, context } = await signedIn(browser, here, 'owner', {
      viewport: { width: 390, height: 844 },
    });
    for (const path of [
      `/works/${work.workId}`,
      '/works/hashes',
      '/reviews/hashes',
      '/people',
      '/import',
      '/',
    ]) {
      await page.goto(`${here.url}${path}`);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect([path, width]).toEqual([path, 390]);
      await picture(page, `phone-${path.replaceAll(/\W+/g, '-')}`);
    }
    await context.close();
  });
});
