import { LIMITS } from '../../core/limits.js';
import type { Args } from './args.js';
import { UsageError } from './failures.js';
import type { Out } from './out.js';
import { workerLine } from './tell-worker.js';
import { untilStopped } from './until-stopped.js';
import type { Option } from './verb.js';
import type { SlotOptions } from '../../workers/slots.js';
import type { WorkerEvent } from '../../workers/worker-event.js';

/** Options that worker and reviewer share. */
export const WORKER_OPTIONS: readonly Option[] = [
  { flags: '--kind <kind>', says: 'only works of this kind', repeats: true },
  { flags: '--concurrency <number>', says: 'how many at the same time; 1' },
  { flags: '--once', says: 'one work, then end; 0 done or nothing there, 1 failed or refused' },
  { flags: '--time-limit <seconds>', says: 'how long one may take; as long as its lease can last' },
  { flags: '--in <folder>', says: 'where the command runs; a fresh folder for each work' },
];

export interface WorkerSettings {
  readonly shared: SlotOptions & { readonly kinds?: readonly string[]; readonly timeLimit_ms?: number };
  readonly command: { readonly cwd?: string };
}

/** What the shared options say. A signal ends the work under way and gives it back; a second one ends the process. */
export function workerSettings(args: Args, out: Out): WorkerSettings {
  const concurrency = args.number('concurrency') ?? 1;
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > LIMITS.workerConcurrency)
    throw new UsageError(`--concurrency takes a whole number from 1 to ${LIMITS.workerConcurrency}`);
  const limit_s = args.number('timeLimit');
  if (limit_s !== undefined && limit_s <= 0) throw new UsageError('--time-limit takes seconds above 0');
  const kinds = args.list('kind');
  const cwd = args.text('in');
  const stop = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    if (!out.json) out.note(`${signal}: giving back what is under way`);
    stop.abort();
  };
  untilStopped().then(onSignal, onSignal);
  return {
    shared: {
      concurrency,
      once: args.flag('once'),
      signal: stop.signal,
      tell: (event: WorkerEvent): void => out.each(event, workerLine),
      ...(kinds === undefined ? {} : { kinds }),
      ...(limit_s === undefined ? {} : { timeLimit_ms: limit_s * 1000 }),
    },
    command: cwd === undefined ? {} : { cwd },
  };
}
