import type { Hono } from 'hono';
import type { Desk } from '../../operations/desk.js';
import { LIMITS } from '../../core/limits.js';
import { checkMayLook, stats } from '../../operations/basket/stats.js';
import { metricsText } from '../../telemetry/metrics.js';
import type { AppEnv } from './app-options.js';
import { bearerToken } from './caller.js';
import type { Who } from './route.js';

/** `/metrics` for Prometheus: the numbers of the token's own tenant, so it needs a token as everything does. */
export function metricsRoute(app: Hono<AppEnv>, desk: Desk): void {
  const scrapes = new Map<
    string,
    { readonly at_ms: number; readonly text: ReturnType<typeof metricsText> }
  >();
  app.get('/metrics', async (c) => {
    const { who, leave } = await c.get('entrance').letIn(c, bearerToken(c.req.raw.headers));
    leave();
    await checkMayLook(desk, who);
    const known = scrapes.get(who.tenant);
    // Counting every work of a large desk takes seconds: scrapers that come at once share one count.
    const scrape =
      known && Date.now() - known.at_ms < LIMITS.metricsAge_ms
        ? known
        : { at_ms: Date.now(), text: measure(desk, who) };
    scrapes.set(who.tenant, scrape);
    const { text, contentType } = await scrape.text.catch((error: unknown) => {
      scrapes.delete(who.tenant);
      throw error;
    });
    return c.body(text, 200, { 'content-type': contentType, 'cache-control': 'no-store' });
  });
}

async function measure(desk: Desk, who: Who): ReturnType<typeof metricsText> {
  const numbers = await stats(desk, who, {});
  if (!('kinds' in numbers)) throw new Error('by kind is what was asked for');
  return await metricsText({ kinds: numbers.kinds, trouble: numbers });
}
