import { readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { bareLangGraph } from './bare-langgraph.js';
import { measure, type Figures } from './measure.js';
import { signalbox } from './signalbox.js';

/**
 * `npm run bench [-- --works N]`: the same job on Signalbox and on bare LangGraph, one after the other in one run, on
 * the same disk. Prints a table and writes `bench/results.json`, from which the figures in the docs come.
 */
const WORKS_DEFAULT = 400;
const IN_FLIGHT = [1, 32] as const;

const contestants = [
  signalbox('step'),
  signalbox('langgraph'),
  bareLangGraph('FULL', 'async'),
  bareLangGraph('FULL', 'exit'),
  bareLangGraph('NORMAL', 'async'),
];

function worksAsked(): number {
  const flag = process.argv.indexOf('--works');
  const works = flag < 0 ? WORKS_DEFAULT : Number(process.argv[flag + 1]);
  if (!Number.isInteger(works) || works < 1) throw new Error('--works takes a whole number from 1');
  return works;
}

async function versions(): Promise<Record<string, string | undefined>> {
  const { dependencies } = JSON.parse(await readFile('package.json', 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const named = ['@langchain/langgraph', '@langchain/langgraph-checkpoint-sqlite', 'better-sqlite3'];
  return { node: process.version, ...Object.fromEntries(named.map((name) => [name, dependencies[name]])) };
}

const works = worksAsked();
const figures: Figures[] = [];
for (const inFlight of IN_FLIGHT) {
  for (const contestant of contestants) {
    process.stderr.write(`${contestant.name}, ${inFlight} in flight …\n`);
    figures.push(await measure(contestant, inFlight === 1 ? Math.ceil(works / 4) : works, inFlight));
  }
}
console.table(
  figures.map((row) => ({
    contestant: row.name,
    'in flight': row.inFlight,
    'works/s': Math.round(row.worksPerSecond),
    'submit p50 ms': row.submitP50_ms.toFixed(1),
    'submit p99 ms': row.submitP99_ms.toFixed(1),
    'review p50 ms': row.reviewP50_ms.toFixed(1),
    'CPU ms/work': row.cpuPerWork_ms.toFixed(1),
    'KB/work': (row.databaseBytesPerWork / 1024).toFixed(1),
    MB: Math.round(row.peakMemory_mb),
  })),
);
const machine = {
  cpus: cpus().length,
  model: cpus()[0]?.model,
  memory_gib: Math.round(totalmem() / 2 ** 30),
};
const result = { at: new Date().toISOString(), machine, versions: await versions(), figures };
await writeFile('bench/results.json', `${JSON.stringify(result, null, 2)}\n`);
