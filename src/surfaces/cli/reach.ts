import { access, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ConnectOptions, DoorLike } from '../../client.js';
import type { OpenOptions, Signalbox } from '../../open-signalbox.js';
import { ownerTokenFile } from '../http/owner-token.js';
import { isServing, readServerFile } from '../http/server-file.js';
import type { RunningServer } from '../http/server.js';
import type { GlobalOptions } from './args.js';
import { CannotReach, UsageError } from './failures.js';

/** The heavy parts, each loaded when it is first needed. `main.ts` names them; a verb never imports them itself. */
export interface Programs {
  open(options: OpenOptions): Promise<Signalbox>;
  connect(options: ConnectOptions): Promise<DoorLike>;
  serve(box: Signalbox): Promise<RunningServer>;
  sampleInvoices(): Promise<
    readonly { readonly input: unknown; readonly correction?: { readonly reason: string } }[]
  >;
}

/** A door that is open, and what closes it. */
export interface Reached {
  readonly door: DoorLike;
  /** What the data folder holds of every tenant, where it was opened here and nobody was named to be. */
  readonly whole: Signalbox | null;
  readonly close: () => Promise<void>;
}

/** Finds what to work on: a server that is named, one that runs on the data folder, or the folder itself. */
export class Reach {
  constructor(
    readonly programs: Programs,
    private readonly options: GlobalOptions,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  get dataFolder(): string {
    return resolve(this.options.data ?? this.setting('SIGNALBOX_DATA') ?? '.signalbox');
  }

  /** @throws CannotReach, UsageError with what to do */
  async door({ founds = false }: { readonly founds?: boolean } = {}): Promise<Reached> {
    if (this.as() !== undefined && (await this.isOwn())) return await this.folder(founds);
    const server = await this.server();
    if (server === null) return await this.folder(founds);
    if (this.as() !== undefined)
      throw new UsageError(
        `--as works on a data folder; at ${server.url} the token says who you are.\n` +
          `Put ${this.as() ?? ''}'s token into SIGNALBOX_TOKEN; an owner makes one with "signalbox token create".`,
      );
    return {
      door: await this.programs.connect({ ...server, ...this.onBehalf() }),
      whole: null,
      close: () => Promise.resolve(),
    };
  }

  /** Opens the folder in this process, whatever else has it open. */
  async open(options: OpenOptions = {}): Promise<Signalbox> {
    return await this.programs.open({ dataDir: this.dataFolder, ...options });
  }

  /** The server to talk to, with a token; null when none is named and none runs on the folder. */
  async server(): Promise<{ readonly url: string; readonly token: string } | null> {
    const named = this.options.url ?? this.setting('SIGNALBOX_URL');
    const announced = await readServerFile(this.dataFolder);
    const own = announced !== null && (named === undefined || sameOrigin(named, announced.url));
    const url = named ?? (announced !== null && (await isServing(announced)) ? announced.url : undefined);
    if (url === undefined) return null;
    if (!URL.canParse(url)) throw new UsageError(`${JSON.stringify(url)} is not an address`);
    // The folder's token goes to the folder's own server and to no other.
    const token = this.setting('SIGNALBOX_TOKEN') ?? (own ? await this.ownerToken() : undefined);
    if (token === undefined)
      throw new UsageError(
        `${url} needs a token: put it into SIGNALBOX_TOKEN ("signalbox token create NAME")`,
      );
    return { url, token };
  }

  private async folder(founds: boolean): Promise<Reached> {
    const { dataFolder } = this;
    const elsewhere = this.setting('SIGNALBOX_DATABASE_URL') !== undefined;
    if (!founds && !elsewhere && !(await exists(join(dataFolder, 'signalbox.db'))))
      throw new CannotReach(
        `no server is running and there is no data in ${dataFolder}.\n` +
          `Begin with "signalbox start" or "signalbox import", or name the folder with --data, a server with --url.`,
      );
    // Recovery belongs to servers: a verb finishes what it meets on its own work, and leaves the rest to them.
    const box = await this.open({ recover: false });
    return {
      door: box.as(this.as() ?? 'owner', this.onBehalf()),
      whole: this.as() === undefined ? box : null,
      close: () => box.close(),
    };
  }

  /** Who to be on a folder. A token says who one is more plainly than a setting does; an option was meant for this call. */
  private as(): string | undefined {
    const setting = this.setting('SIGNALBOX_TOKEN') === undefined ? this.setting('SIGNALBOX_AS') : undefined;
    return this.options.as ?? setting;
  }

  /** Whether the work is to be done on our own folder: no server is named, or the one that runs on it. */
  private async isOwn(): Promise<boolean> {
    const named = this.options.url ?? this.setting('SIGNALBOX_URL');
    if (named === undefined) return true;
    const announced = await readServerFile(this.dataFolder);
    return announced !== null && sameOrigin(named, announced.url);
  }

  private onBehalf(): { onBehalfOf?: { principal: string; reason: string } } {
    const { onBehalfOf, because } = this.options;
    if (onBehalfOf === undefined) return {};
    if (because === undefined)
      throw new UsageError('--on-behalf-of needs --because: the reason goes on record');
    return { onBehalfOf: { principal: onBehalfOf, reason: because } };
  }

  private async ownerToken(): Promise<string | undefined> {
    const text = await readFile(ownerTokenFile(this.dataFolder), 'utf8').catch(() => '');
    return text.trim() === '' ? undefined : text.trim();
  }

  /** An empty variable is an unset one. */
  private setting(name: string): string | undefined {
    return this.env[name] === '' ? undefined : this.env[name];
  }
}

function sameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && new URL(one).origin === new URL(other).origin;
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
