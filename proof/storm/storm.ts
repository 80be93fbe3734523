import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile, chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { connect } from '../../src/client.js';
import { openSignalbox, type Signalbox } from '../../src/index.js';
import { all, fixed } from '../../src/ledger/sql.js';
import { strike, type Blow } from './blows.js';
import { findings } from './findings.js';
import { readJournals } from './journal.js';
import { STORM_KINDS } from './kinds.js';
import type { Cast } from './lane.js';
import { freePort, PostgresCluster } from './postgres-cluster.js';
import { ready, serverProcess, serverSettings, workerProcess, type ServerPlace } from './processes.js';
import { seeded } from './random.js';
import type { StormOptions } from './options.js';
import { reportOf, type StormReport } from './report.js';

/** How long what was accepted may take to be applied once the blows have ended, in ms. */
const SETTLING_ms = 60_000;
const STOPPING_ms = 60_000;
const run = promisify(execFile);

/** Puts a desk of several real processes under load and blows, stops it in order, and looks at what is left. */
export async function storm(options: StormOptions): Promise<StormReport> {
  const { folder, backend, tell = () => undefined } = options;
  const cluster = backend === 'postgres' ? await openCluster(folder) : null;
  const places = await serverPlaces(options, cluster?.url ?? null);
  const servers = places.map(serverProcess);
  const urls = places.map(({ port }) => `http://127.0.0.1:${port}`);
  const random = seeded(options.seed);
  const running: { stop(limit_ms: number): Promise<unknown> }[] = [...servers];
  try {
    for (const server of servers) server.start();
    await Promise.all(urls.map(ready));
    const cast = await hire(places[0] as ServerPlace, urls[0] ?? '', options.workers);
    tell(`${options.servers} servers are ready, ${options.workers} workers begin`);
    const journals: string[] = [];
    const workers = Array.from({ length: options.workerProcesses }, (_, index) => {
      const journal = join(folder, `journal-${index}.jsonl`);
      journals.push(journal);
      const mine = cast.filter((_each, lane) => lane % options.workerProcesses === index);
      return workerProcess(`workers-${index}`, join(folder, `workers-${index}.log`), (start) => ({
        urls,
        journal,
        seed: options.seed + index * 100 + start * 10_000,
        cast: mine,
      }));
    });
    for (const journal of journals) await writeFile(journal, '');
    running.push(...workers);
    for (const worker of workers) worker.start();
    await firstAnswer(journals);
    const began_ms = Date.now();
    const blows: Blow[] = [];
    const targets = { servers, workers, cluster };
    await strike(targets, { ...options, random }, (blow) => {
      blows.push(blow);
      tell(`${((blow.at_ms - began_ms) / 1000).toFixed(1)} s: ${blow.what}: ${blow.whom}`);
    });
    const ended_ms = Date.now();
    tell('the blows have ended; workers finish what they are at');
    await Promise.all(workers.map((worker) => worker.stop(STOPPING_ms)));
    const settled_ms = await settle(places[0] as ServerPlace);
    const exits = await Promise.all(servers.map((server) => server.stop(STOPPING_ms)));
    const crashes = [...servers, ...workers].flatMap((each) => each.crashed ?? []);
    const unclean = exits.flatMap((code, index) =>
      code === 0 ? [] : [`server ${index} ended with ${code}`],
    );
    tell('everything is stopped; looking at what is left');
    const entries = readJournals(journals);
    const verified = await verify(options.program, places[0] as ServerPlace);
    const found = await withDesk(places[0] as ServerPlace, (box) => findings(box, entries));
    return reportOf({
      options,
      blows,
      entries,
      began_ms,
      ended_ms,
      settled_ms,
      findings: [
        ...found,
        {
          name: '`signalbox verify` finds no difference',
          looked: verified.looked,
          against: verified.against,
        },
        {
          name: 'no process ended by itself, and each server stopped in order',
          looked: exits.length,
          against: [...crashes, ...unclean],
        },
      ],
    });
  } finally {
    await Promise.all(running.map((each) => each.stop(0)));
    await cluster?.remove();
  }
}

/** The folder is read by another user where root starts PostgreSQL. */
async function openCluster(folder: string): Promise<PostgresCluster> {
  await chmod(folder, 0o755);
  return await PostgresCluster.create(join(folder, 'postgres'));
}

/** On SQLite all servers share one data folder; on PostgreSQL each has its own, and they share the artifacts. */
async function serverPlaces(options: StormOptions, databaseUrl: string | null): Promise<ServerPlace[]> {
  const { folder } = options;
  const config = join(folder, 'signalbox.config.json');
  await writeFile(config, JSON.stringify(STORM_KINDS));
  const shared = join(folder, 'artifacts');
  await mkdir(shared);
  return await Promise.all(
    Array.from({ length: options.servers }, async (_, index): Promise<ServerPlace> => {
      const dataFolder = join(folder, databaseUrl === null ? 'data' : `data-${index}`);
      await mkdir(dataFolder, { recursive: true });
      if (databaseUrl !== null) await symlink(shared, join(dataFolder, 'artifacts'));
      const log = join(folder, `server-${index}.log`);
      const port = await freePort();
      return {
        name: `server-${index}`,
        port,
        dataFolder,
        databaseUrl,
        config,
        log,
        program: options.program,
      };
    }),
  );
}

/** Gives every worker a name, the roles it needs and a token. */
async function hire(place: ServerPlace, url: string, count: number): Promise<Cast[]> {
  const { token: owner } = await withDesk(place, (box) =>
    box.as('owner').createToken({ principal: 'owner' }),
  );
  const door = connect({ url, token: owner });
  const employ = async (name: string, roles: string[]): Promise<string> => {
    await door.putPrincipal({ name, roles });
    return (await door.createToken({ principal: name })).token;
  };
  const operator = await employ('operator', ['operator']);
  // To found a tenant is to give it its owner, whose token is told once.
  const founded = await door.putPrincipal({ name: 'stranger', roles: ['owner'], tenant: 'elsewhere' });
  const { token: stranger = '' } = founded as { token?: string };
  const names = Array.from({ length: count }, (_, index) => `worker-${index}`);
  const tokens: string[] = [];
  for (const name of names) tokens.push(await employ(name, ['scout', 'worker', 'reviewer']));
  return names.map((name, index) => ({
    me: { name, token: tokens[index] ?? '' },
    operator,
    owner,
    stranger,
    colleagues: names.filter((other) => other !== name),
  }));
}

/** Opens the desk itself, beside its servers, for as long as something is done with it. */
async function withDesk<T>(place: ServerPlace, use: (box: Signalbox) => Promise<T>): Promise<T> {
  const box = await openSignalbox({
    dataDir: place.dataFolder,
    config: place.config,
    recover: false,
    ...(place.databaseUrl === null ? {} : { databaseUrl: place.databaseUrl }),
  });
  try {
    return await use(box);
  } finally {
    await box.close();
  }
}

async function firstAnswer(journals: readonly string[]): Promise<void> {
  while (!readJournals(journals).some((entry) => entry.kind === 'acknowledged')) await sleep(100);
}

/** Waits until nothing is decided and not applied; gives how long that took, in ms. */
function settle(place: ServerPlace): Promise<number> {
  return withDesk(place, async (box) => {
    const began_ms = performance.now();
    for (;;) {
      const pending = await box.desk.store.read(() =>
        all(fixed('SELECT work_id FROM works WHERE pending_receipt IS NOT NULL')),
      );
      const took_ms = Math.round(performance.now() - began_ms);
      if (pending.length === 0 || took_ms > SETTLING_ms) return took_ms;
      await sleep(200);
    }
  });
}

/** `signalbox verify`, as a user runs it. */
async function verify(program: string, place: ServerPlace): Promise<{ looked: number; against: string[] }> {
  const env = { ...process.env, ...serverSettings(place) };
  const ran = await run(process.execPath, [program, 'verify', '--json'], {
    env,
    maxBuffer: 64 * 1_048_576,
  }).catch((error: unknown) => error as { stdout: string; stderr: string });
  try {
    const report = JSON.parse(ran.stdout) as {
      events: number;
      differences: { severity: string; code: string; detail: string }[];
    };
    const faults = report.differences.filter((each) => each.severity === 'fault');
    return { looked: report.events, against: faults.map((each) => `${each.code}: ${each.detail}`) };
  } catch {
    return { looked: 0, against: [`verify gave no report: ${ran.stdout}${ran.stderr}`] };
  }
}
