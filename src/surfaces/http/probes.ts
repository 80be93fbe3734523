import type { Hono } from 'hono';
import type { Desk } from '../../operations/desk.js';
import { checkReady } from '../../operations/ready.js';
import type { AppEnv, AppOptions } from './app-options.js';
import { errorFields } from './log.js';

/** Whether the process lives, and whether it can do work. Open to everybody, and they say no more than that. */
export function probeRoutes(app: Hono<AppEnv>, desk: Desk, { log, closing, version }: AppOptions): void {
  app.get('/healthz', (c) => c.json({ status: 'ok', service: 'signalbox', version, pid: process.pid }));
  app.get('/readyz', async (c) => {
    if (closing.aborted) return c.json({ status: 'stopping' }, 503);
    try {
      await checkReady(desk);
      return c.json({ status: 'ready' });
    } catch (error) {
      log.error('not ready', errorFields(error));
      return c.json({ status: 'unavailable' }, 503);
    }
  });
}
