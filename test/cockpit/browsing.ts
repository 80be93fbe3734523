import { existsSync, mkdirSync } from 'node:fs';
import axe, { type AxeResults } from 'axe-core';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';
import type { Serving } from '../http/serving.js';

const CHROMIUM = '/usr/bin/chromium';
const PICTURES = 'test-artifacts/cockpit';

export const hasChromium = existsSync(CHROMIUM);

/** Debian's Chromium, with nothing of its own going to the network. */
export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** A browser of its own, signed in as a principal by a one-time link. What goes wrong in its pages is kept. */
export async function signedIn(
  browser: Browser,
  here: Serving,
  principal = 'owner',
  options: BrowserContextOptions = {},
): Promise<{ context: BrowserContext; page: Page; faults: string[] }> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    locale: 'en-GB',
    ...options,
  });
  const faults: string[] = [];
  context.on('weberror', (error) => faults.push(String(error.error())));
  context.on('console', (message) => {
    if (message.type() === 'error' && /Content Security|Refused to|Uncaught/.test(message.text()))
      faults.push(message.text());
  });
  context.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss().catch(() => undefined);
  });
  const page = await context.newPage();
  const { path } = await here.box.as('owner').createSignInLink({ principal });
  await page.goto(`${here.url}${path}`);
  await page.click('.sign-in button.primary');
  await page.waitForURL(`${here.url}/`);
  return { context, page, faults };
}

/** Kept for people to look at; the folder is not part of the project. */
export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
}

/** What axe calls serious or worse on a page, each with where. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Through the debugger's door: the page's own rules take no script from outside.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>(
    "axe.run(document, { resultTypes: ['violations'] })",
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(' | ')}`);
}

/** Drops a file on a part of a page, with the events that a hand and a mouse would cause. */
export async function drop(page: Page, target: string, file: { name: string; text: string }): Promise<void> {
  const carried = await page.evaluateHandle(
    `(() => {
      const carried = new DataTransfer();
      carried.items.add(new File([${JSON.stringify(file.text)}], ${JSON.stringify(file.name)}));
      return carried;
    })()`,
  );
  for (const event of ['dragenter', 'dragover', 'drop'])
    await page.dispatchEvent(target, event, { dataTransfer: carried });
}
