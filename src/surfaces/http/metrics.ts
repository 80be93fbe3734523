import type { Hono } from 'hono';
import type { Desk } from '../../operations/desk.js';
import { stats } from '../../operations/basket/stats.js';
import { metricsText } from '../../telemetry/metrics.js';
import type { AppEnv } from './app-options.js';
import { bearerToken, callerOf } from './caller.js';

/** `/metrics` for Prometheus: the numbers of the token's own tenant, so it needs a token as everything does. */
export function metricsRoute(app: Hono<AppEnv>, desk: Desk): void {
  app.get('/metrics', async (c) => {
    const { headers } = c.req.raw;
    const who = await callerOf(desk, headers, bearerToken(headers));
    const numbers = await stats(desk, who, {});
    if (!('kinds' in numbers)) throw new Error('by kind is what was asked for');
    const { text, contentType } = await metricsText({ kinds: numbers.kinds, trouble: numbers });
    return c.body(text, 200, { 'content-type': contentType, 'cache-control': 'no-store' });
  });
}
