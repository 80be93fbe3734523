import { Caller } from './caller.js';
import { Journal } from './journal.js';
import { Lane, type Cast } from './lane.js';
import { seeded } from './random.js';

/** What a worker process is told, in the environment variable STORM_HANDS. */
export interface Hands {
  readonly urls: readonly string[];
  readonly journal: string;
  readonly seed: number;
  readonly cast: readonly Cast[];
}

const hands = JSON.parse(process.env['STORM_HANDS'] ?? '{}') as Hands;
const journal = new Journal(hands.journal);
const stopping = new AbortController();
process.on('SIGTERM', () => stopping.abort());
// Whoever started this one is gone: nobody would ever stop it.
process.on('disconnect', () => process.exit(1));

await Promise.all(
  hands.cast.map(async (cast, index) => {
    const random = seeded(hands.seed * 1_000 + index);
    const lane = new Lane(new Caller(cast.me.name, hands.urls, journal, random), cast, random);
    while (!stopping.signal.aborted) {
      await lane.step().catch((error: unknown) => {
        const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
        journal.write({ kind: 'trouble', at_ms: Date.now(), lane: cast.me.name, verb: 'step', what });
      });
    }
  }),
);
process.exit(0);
