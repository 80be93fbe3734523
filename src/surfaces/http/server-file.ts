import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where a running server of a data folder is found: `<data>/server.json`. */
export interface ServerFile {
  readonly url: string;
  readonly pid: number;
}

const PROBE_ms = 2_000;

const fileIn = (dataFolder: string): string => join(dataFolder, 'server.json');

/** What the file says, whether or not that server still runs; null when there is none or it makes no sense. */
export async function readServerFile(dataFolder: string): Promise<ServerFile | null> {
  try {
    const { url, pid } = JSON.parse(await readFile(fileIn(dataFolder), 'utf8')) as Partial<ServerFile>;
    return typeof url === 'string' && Number.isInteger(pid) ? { url, pid: pid as number } : null;
  } catch {
    return null;
  }
}

/** Asks the server itself, because its process ID may belong to another program by now. */
export async function isServing({ url, pid }: ServerFile): Promise<boolean> {
  try {
    const response = await fetch(new URL('/healthz', url), { signal: AbortSignal.timeout(PROBE_ms) });
    const health = (await response.json()) as { service?: unknown; pid?: unknown };
    return health.service === 'signalbox' && health.pid === pid;
  } catch {
    return false;
  }
}

/**
 * Announces a server, unless another one that still answers is announced already: the first of a folder keeps the
 * file, later ones serve the same data unannounced (docs/decisions/0012).
 * @returns whether the file is ours
 */
export async function announce(dataFolder: string, server: ServerFile): Promise<boolean> {
  const written = join(dataFolder, `server.${randomUUID()}.tmp`);
  await writeFile(written, `${JSON.stringify(server)}\n`, { mode: 0o600 });
  try {
    // `link` fails where the file exists: of two that start at once only one gets it.
    await link(written, fileIn(dataFolder));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const announced = await readServerFile(dataFolder);
    // An announced address that is ours now cannot be another's, whatever process ID stands there.
    if (announced !== null && announced.url !== server.url && (await isServing(announced))) return false;
    await rename(written, fileIn(dataFolder));
    return true;
  } finally {
    await rm(written, { force: true });
  }
}

/** Takes the file away, if it is this server's. */
export async function withdraw(dataFolder: string, server: ServerFile): Promise<void> {
  const announced = await readServerFile(dataFolder);
  if (announced?.pid === server.pid && announced.url === server.url)
    await rm(fileIn(dataFolder), { force: true });
}
