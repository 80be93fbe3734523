import type { DoorLike } from '../../client.js';
import type { Args } from './args.js';
import type { ExitCode } from './failures.js';
import type { Out } from './out.js';
import type { Reach } from './reach.js';

export interface Option {
  /** As commander reads them: `--reason <text>`, `--all`. */
  readonly flags: string;
  readonly says: string;
  /** May be given several times; read with `args.list`. */
  readonly repeats?: true;
  readonly choices?: readonly string[];
  /** Left out, it is wrong usage. */
  readonly needed?: true;
}

interface Described {
  /** One line, no full stop. */
  readonly summary: string;
  /** As commander reads them, each with what it is: `['<workId>', 'the work']`. */
  readonly arguments?: readonly (readonly [name: string, says: string, choices?: readonly string[]])[];
  readonly options?: readonly Option[];
  /** Whole command lines that work as they stand, given the work exists. At least one. */
  readonly examples: readonly string[];
}

/** A verb that works through a door, on a running server or on the data folder alike. */
export interface DoorVerb extends Described {
  /** May be the first thing done with a data folder: without it a folder that holds nothing is refused, not made. */
  readonly founds?: true;
  run(door: DoorLike, args: Args, out: Out): Promise<ExitCode | void>;
}

/** A verb that decides itself what it opens: it serves, or stands on a folder whatever runs. */
export interface AloneVerb extends Described {
  /** It goes through a door too, so that it takes the options that say where it is and who comes. */
  readonly asDoor?: true;
  runAlone(reach: Reach, args: Args, out: Out): Promise<ExitCode | void>;
}

/** A word before verbs of its own: `token create`. */
export interface VerbGroup {
  readonly summary: string;
  readonly examples: readonly string[];
  readonly verbs: Readonly<Record<string, DoorVerb | AloneVerb>>;
}

export type Verb = DoorVerb | AloneVerb | VerbGroup;
