import { bareLangGraph } from './bare-langgraph.js';
import { bareLangGraphOnPostgres } from './bare-postgres.js';
import type { Contestant } from './life.js';
import { signalbox } from './signalbox.js';

/** Who runs: an implementation of the job, how many processes it gets, and what it stores in. */
export interface Entry {
  readonly name: string;
  readonly contestant: Contestant;
  readonly processes: number;
  readonly store: 'sqlite' | 'postgres';
}

const sqlite = (name: string, contestant: Contestant, processes = 1): Entry => ({
  name,
  contestant,
  processes,
  store: 'sqlite',
});

/** By key, in the order of the table. */
export const ENTRIES: Readonly<Record<string, Entry>> = {
  signalbox: sqlite('Signalbox, FULL', signalbox({ runner: 'step' })),
  'signalbox-two': sqlite('Signalbox, FULL, two processes', signalbox({ runner: 'step' }), 2),
  'signalbox-langgraph': sqlite("Signalbox, FULL, LangGraph's runner", signalbox({ runner: 'langgraph' })),
  'bare-async': sqlite('bare LangGraph, SqliteSaver, FULL', bareLangGraph('FULL', 'async')),
  'bare-exit': sqlite('bare LangGraph, FULL, durability exit', bareLangGraph('FULL', 'exit')),
  'bare-normal': sqlite('bare LangGraph, as it comes (NORMAL)', bareLangGraph('NORMAL', 'async')),
  'signalbox-postgres': {
    ...sqlite('Signalbox, PostgreSQL', signalbox({ runner: 'step' })),
    store: 'postgres',
  },
  'bare-postgres': { ...sqlite('bare LangGraph, PostgresSaver', bareLangGraphOnPostgres), store: 'postgres' },
};
