import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { textOf } from './report.js';
import { storm } from './storm.js';

/**
 * `npm run storm -- --backend postgres --minutes 10 --servers 4 --workers 32`: prints what it does and a closing
 * report, writes the report as JSON where `--json FILE` says, and exits 1 where something did not hold.
 */
const { values } = parseArgs({
  options: {
    backend: { type: 'string', default: 'sqlite' },
    minutes: { type: 'string', default: '2' },
    servers: { type: 'string', default: '4' },
    workers: { type: 'string', default: '32' },
    processes: { type: 'string', default: '8' },
    seed: { type: 'string', default: '1' },
    json: { type: 'string' },
    /** Keeps logs, journals and data. */
    keep: { type: 'boolean', default: false },
  },
});
const { backend } = values;
if (backend !== 'sqlite' && backend !== 'postgres') throw new Error('--backend is sqlite or postgres');

const folder = await mkdtemp(join(tmpdir(), 'signalbox-storm-'));
const report = await storm({
  backend,
  duration_ms: Number(values.minutes) * 60_000,
  servers: Number(values.servers),
  workers: Number(values.workers),
  workerProcesses: Math.min(Number(values.processes), Number(values.workers)),
  pause_ms: [3_000, 6_000],
  seed: Number(values.seed),
  folder,
  program: resolve('dist/surfaces/cli/main.js'),
  tell: (line) => console.log(line),
});
console.log(`\n${textOf(report)}`);
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(report, null, 2)}\n`);
if (values.keep || !report.passed) console.log(`logs and journals are in ${folder}`);
else await rm(folder, { recursive: true, force: true });
process.exitCode = report.passed ? 0 : 1;
