import { openSignalbox } from '../../src/index.js';
import { Refusal } from '../../src/core/refusals.js';
import { doorFor, type Door } from '../../src/operations/door.js';

/** A desk in a process of its own: opens a data folder and does what its parent asks, one message a verb. */
export interface Asked {
  readonly id: number;
  readonly principal: string;
  readonly verb: keyof Door;
  readonly args: readonly unknown[];
  /** When to begin, in ms since the epoch, so that two processes begin at the same moment; 0 at once. */
  readonly at_ms: number;
}
export type Told =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly code: string; readonly details: Refusal['details'] }
  | { readonly id: number; readonly fault: string };

const { DATA_DIR = '', DATABASE_URL, APPLY = 'yes', RECOVER = 'no' } = process.env;

const box = await openSignalbox({
  dataDir: DATA_DIR,
  recover: RECOVER === 'yes',
  ...(DATABASE_URL ? { databaseUrl: DATABASE_URL } : {}),
});
// What is accepted and never applied: as if the process stopped between the two.
const never = { apply: () => new Promise<never>(() => undefined) };
const desk = APPLY === 'yes' ? box.desk : { ...box.desk, appliers: never, stepper: null };

async function answer({ id, principal, verb, args, at_ms }: Asked): Promise<Told> {
  // Spinning, not sleeping: a timer would come up to a millisecond late, which is a whole transaction.
  while (Date.now() < at_ms);
  const door = doorFor(desk, { tenant: 'default', principal });
  try {
    const call = door[verb] as (...given: readonly unknown[]) => Promise<unknown>;
    return { id, value: await call(...args) };
  } catch (error) {
    if (error instanceof Refusal) return { id, code: error.code, details: error.details };
    return { id, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

const fail = (error: unknown): void => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
};

process.on('message', (asked: Asked | 'close') => {
  const doing =
    asked === 'close'
      ? box.close().then(() => process.disconnect())
      : answer(asked).then((told) => process.send?.(told));
  doing.catch(fail);
});
process.send?.('ready');
