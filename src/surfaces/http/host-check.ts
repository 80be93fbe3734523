import { createMiddleware } from 'hono/factory';
import { Refusal } from '../../core/refusals.js';
import { refusalResponse } from './problem.js';

const OWN_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether an address is this machine's own. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/**
 * A web page can have its own name resolve to 127.0.0.1 and then read what is served there; its requests still
 * carry its name in Host. On loopback only our own names are taken.
 */
export const hostCheck = createMiddleware(async (c, next) => {
  const host = (c.req.header('host') ?? '').replace(/:\d+$/, '').toLowerCase();
  if (OWN_NAMES.has(host) || isLoopback(host)) return await next();
  return refusalResponse(
    new Refusal('FORBIDDEN', 'this server takes requests for localhost only; its address is another'),
  );
});
