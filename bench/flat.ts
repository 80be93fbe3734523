import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fill, type Filled } from './fill.js';
import {
  deskOn,
  importing,
  lifecycle,
  reads,
  repeated,
  restart,
  rework,
  rounded,
  soak,
  spread,
  timed,
  type Spread,
} from './flat-measures.js';

/**
 * `npm run bench:flat -- [--works N] [--folder F] [--soak MINUTES] [--lines N]`: whether a large store is as quick as
 * an empty one. Fills a store of N works, a tenth of them open, or takes the one that an earlier run has left in F;
 * prints a table and writes `bench/flat-results.json`.
 */
function flag(name: string, otherwise: number): number {
  const place = process.argv.indexOf(`--${name}`);
  const value = place < 0 ? otherwise : Number(process.argv[place + 1]);
  if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} takes a whole number`);
  return value;
}

const works = flag('works', 1_000_000);
const lines = flag('lines', 100_000);
const minutes = flag('soak', 1);
const times = flag('times', 200);
const place = process.argv.indexOf('--folder');
const named = place < 0 ? null : (process.argv[place + 1] ?? null);
const folder = named ?? (await mkdtemp(join(tmpdir(), 'signalbox-flat-')));
const empty = await mkdtemp(join(named === null ? tmpdir() : join(folder, '..'), 'signalbox-empty-'));
/** Lives before any is measured. */
const WARM = 50;
const say = (text: string): void => void process.stderr.write(`${text} …\n`);

async function filled(): Promise<Filled> {
  const note = join(folder, 'filled.json');
  if (existsSync(note)) return JSON.parse(await readFile(note, 'utf8')) as Filled;
  await mkdir(folder, { recursive: true });
  const made = await fill(folder, { works, open: Math.round(works / 10) });
  await writeFile(note, JSON.stringify(made));
  return made;
}

/** A life on each in turn, so that neither has the better moment. */
async function lives(): Promise<{ readonly empty: Spread; readonly full: Spread }> {
  const [bare, large] = [await deskOn(empty), await deskOn(folder)];
  const taken = { empty: [] as number[], full: [] as number[] };
  const run = Date.now();
  for (let turn = -WARM; turn < times; turn += 1) {
    const one = await timed(() => lifecycle(bare, `life-${run}-${turn}`));
    const other = await timed(() => lifecycle(large, `life-${run}-${turn}`));
    if (turn < 0) continue;
    taken.empty.push(one);
    taken.full.push(other);
  }
  await bare.close();
  await large.close();
  return { empty: spread(taken.empty), full: spread(taken.full) };
}

try {
  say(`a store of ${works} works in ${folder}`);
  const store = await filled();
  say('one life, on an empty store and on the full one');
  const compared = await lives();
  say('claims, pages and numbers');
  const box = await deskOn(folder);
  const claimNext = await repeated(times, () => box.as('bob').claimNext({}));
  const pages = await reads(box, times);
  say('a thousand rounds of rework');
  const rounds = await rework(box, folder, 1_000);
  await box.close();
  say('a restart');
  const restarted = await restart(folder, 100);
  const other = await deskOn(empty);
  say(`a soak of ${minutes} min`);
  const soaked = minutes === 0 ? null : await soak(other, minutes);
  say(`an import of ${lines} lines`);
  const imported = await importing(other, lines);
  await other.close();

  const { dependencies } = JSON.parse(await readFile('package.json', 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const result = {
    at: new Date().toISOString(),
    machine: { cpus: cpus().length, model: cpus()[0]?.model, memory_gib: Math.round(totalmem() / 2 ** 30) },
    disk: folder.startsWith('/dev/shm') ? 'memory (tmpfs)' : 'disk',
    versions: {
      node: process.version,
      langgraph: dependencies['@langchain/langgraph'],
      sqlite: dependencies['better-sqlite3'],
    },
    store,
    lifecycle: { ...compared, ratio: rounded(compared.full.p50_ms / compared.empty.p50_ms) },
    claimNext,
    pages,
    rework: { ...rounds, ratio: rounded(rounds.lastRounds_ms / rounds.firstRounds_ms) },
    restart: restarted,
    import: imported,
    soak: soaked,
  };
  await writeFile('bench/flat-results.json', `${JSON.stringify(result, null, 2)}\n`);
  console.table({ 'claim next': claimNext, ...pages });
  console.log(
    JSON.stringify(
      {
        lifecycle: result.lifecycle,
        rework: result.rework,
        restart: restarted,
        import: imported,
        soak: soaked,
      },
      null,
      2,
    ),
  );
} finally {
  await rm(empty, { recursive: true, force: true });
  if (named === null) await rm(folder, { recursive: true, force: true });
}
