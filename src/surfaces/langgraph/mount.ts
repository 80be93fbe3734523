import type { Hono } from 'hono';
import type { AppEnv } from '../http/app-options.js';
import { stderrLog } from '../http/log.js';
import type { ServedBox } from '../http/server.js';
import { langgraphApp } from './app.js';

/** Puts LangGraph's API on a server's address, as one of `startServer`'s mounts. */
export function mountLangGraph(app: Hono<AppEnv>, box: ServedBox): void {
  app.route('/langgraph', langgraphApp(box.desk, { log: stderrLog(box.config.logLevel) }));
}
