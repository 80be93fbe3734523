import { readConfig, type ConfigOptions } from './config.js';
import { loadSampleInvoices } from './kinds/samples.js';
import { doorFor, type Door } from './operations/door.js';
import { DEFAULT_TENANT, ensureOwner, isUnfounded } from './operations/principals.js';
import { isLiveToken, newToken } from './operations/tokens.js';
import { foundOwner, recoverOwnerToken } from './surfaces/http/owner-token.js';
import { wire, type WiringOptions } from './wiring.js';

export type OpenOptions = ConfigOptions & WiringOptions;

/**
 * Opens a desk in this process, on embedded SQLite in `dataDir`.
 * @throws ConfigError, StoreError with what to do about it
 */
export async function openSignalbox(options: OpenOptions = {}) {
  const config = await readConfig(options);
  const wired = await wire(config, options);
  const { desk } = wired;
  await recoverOwnerToken(config.dataFolder, { isValid: (token) => isLiveToken(desk, token) });
  const founded = (await isUnfounded(desk))
    ? await foundOwner(config.dataFolder, newToken(), { found: (token) => ensureOwner(desk, token) })
    : null;
  return {
    config,
    desk: wired.desk,
    /** The owner's token, when this very opening created the store; it is in `<dataDir>/owner.token` too. */
    ownerToken: founded?.token ?? null,
    /** Made-up invoices for whoever looks at an empty desk. */
    samples: () => loadSampleInvoices(),
    /** The compiled LangGraph graph over this desk's checkpoints. To read and step through; answers go through a door. */
    graph: wired.graph,
    /** The desk as a principal sees it. Whoever opens the folder may act as any principal of it. */
    as(
      principal: string,
      more: { tenant?: string; onBehalfOf?: { principal: string; reason: string } } = {},
    ): Door {
      const { tenant = DEFAULT_TENANT, onBehalfOf } = more;
      return doorFor(wired.desk, { tenant, principal, ...(onBehalfOf ? { onBehalfOf } : {}) });
    },
    /** Begins what a server does by itself: reading the configured queues, retention on its schedule. */
    startDuties: wired.startDuties.bind(wired),
    close: (): Promise<void> => wired.close(),
  };
}

export type Signalbox = Awaited<ReturnType<typeof openSignalbox>>;
