import type { Hono } from 'hono';
import type { AppEnv } from '../http/app-options.js';
import type { ServedBox } from '../http/server.js';
import { cockpitApp } from './app.js';

/** Puts the cockpit on a server's address, as one of `startServer`'s mounts. */
export function mountCockpit(app: Hono<AppEnv>, box: ServedBox, closing: AbortSignal): void {
  app.route('/', cockpitApp(box.desk, { closing, samples: box.samples ?? (() => Promise.resolve([])) }));
}
