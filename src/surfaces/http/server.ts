import type { Hono } from 'hono';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../../config.js';
import { LIMITS } from '../../core/limits.js';
import type { Desk } from '../../operations/desk.js';
import { createSignInLink } from '../../operations/sign-in.js';
import { httpApp } from './app.js';
import type { AppEnv } from './app-options.js';
import { isLoopback } from './host-check.js';
import type { FailureAllowance } from './failed-attempts.js';
import type { Allowance } from './limits.js';
import { stderrLog, type ServerLog } from './log.js';
import { createProblemServer } from './malformed.js';
import { announce, withdraw } from './server-file.js';
import { packageVersion } from './version.js';

/** A registration of a made-up work. */
export interface SampleWork {
  readonly kind: string;
  readonly input: unknown;
  readonly correction?: { readonly reason: string };
}

/** An open desk, as `openSignalbox` gives it. */
export interface ServedBox {
  readonly config: Config;
  readonly desk: Desk;
  /** The owner's token when this opening created the owner; null on every later one. */
  readonly ownerToken: string | null;
  /** Sample works for whoever looks at an empty desk. */
  readonly samples?: () => Promise<readonly SampleWork[]>;
  /** Begins what only a server does: reading the configured queues, retention on its schedule. */
  startDuties(report: (message: string, fields: Readonly<Record<string, unknown>>) => void): Promise<void>;
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly log?: ServerLog;
  readonly allowance?: Allowance;
  readonly failures?: FailureAllowance;
  /** Adds further surfaces to the same address: cockpit, MCP, LangGraph. Their paths must not begin with /v1. */
  readonly mounts?: readonly ((app: Hono<AppEnv>, box: ServedBox, closing: AbortSignal) => void)[];
}

export interface RunningServer {
  readonly url: string;
  /** Whether `server.json` names this server; another one of the same folder may have been first. */
  readonly announced: boolean;
  /** A link that signs a browser in once; only when this start created the owner. */
  readonly signInUrl: string | null;
  /** Stops accepting, finishes what is in flight, closes the desk. */
  close(): Promise<void>;
}

/** The address cannot be served at, for a reason the user can act on. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/**
 * Serves a desk at the configured address.
 * @throws ListenError when the address is taken or not ours to bind; the desk is then left open
 */
export async function startServer(box: ServedBox, options: ServerOptions = {}): Promise<RunningServer> {
  const { config, desk } = box;
  const log = options.log ?? stderrLog(config.logLevel);
  const closing = new AbortController();
  const app = httpApp(desk, {
    log,
    version: packageVersion(),
    loopbackOnly: isLoopback(config.host),
    closing: closing.signal,
    ...(options.allowance ? { allowance: options.allowance } : {}),
    ...(options.failures ? { failures: options.failures } : {}),
  });
  for (const mount of options.mounts ?? []) mount(app, box, closing.signal);
  const server = createProblemServer(app.fetch, log);
  await listen(server, config);
  const url = urlOf(config.host, (server.address() as AddressInfo).port);
  const file = { url, pid: process.pid };
  const announced = await announce(config.dataFolder, file);
  const link =
    box.ownerToken === null ? null : await createSignInLink(desk, { tenant: 'default', principal: 'owner' });
  await box.startDuties((message, fields) => log.error(message, fields));
  log.info('serving', { url, announced });
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    if (announced) await withdraw(config.dataFolder, file);
    await stop(server, closing);
    await box.close();
    log.info('stopped', { url });
  };
  return {
    url,
    announced,
    signInUrl: link === null ? null : new URL(link.path, url).href,
    close: () => (closed ??= close()),
  };
}

async function listen(server: Server, { host, port }: Config): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen(port, host, resolve);
  });
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): ListenError {
  const why: Record<string, string> = {
    EADDRINUSE:
      'another program listens there. Stop it, or choose another port with SIGNALBOX_PORT (0 takes any)',
    EACCES: 'this user may not listen there. Choose a port above 1023 with SIGNALBOX_PORT',
    EADDRNOTAVAIL: 'this machine has no such address. Check SIGNALBOX_HOST',
    ENOTFOUND: 'this name is not known. Check SIGNALBOX_HOST',
  };
  return new ListenError(`cannot listen on ${host}:${port}: ${why[error.code ?? ''] ?? error.message}`, {
    cause: error,
  });
}

/** No new connections; streams end; answers under way are finished, up to a limit; then connections are cut. */
async function stop(server: Server, closing: AbortController): Promise<void> {
  const stopped = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  closing.abort();
  server.closeIdleConnections();
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const cut = setTimeout(() => server.closeAllConnections(), LIMITS.shutdown_ms);
  await stopped;
  clearInterval(idle);
  clearTimeout(cut);
}

function urlOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
