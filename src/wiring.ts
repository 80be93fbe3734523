import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { v7 } from 'uuid';
import type { Config } from './config.js';
import { LIMITS } from './core/limits.js';
import { Deliveries, deliveryPass } from './delivery/deliver.js';
import { sayUnready } from './delivery/readiness.js';
import { startSqsIntake, type Intake, type Report } from './delivery/sqs-intake.js';
import type { Position } from './core/work.js';
import type { CompiledWorkGraph, GraphPorts } from './graph/graph.js';
import { Stepper } from './graph/stepper.js';
import { ArtifactFolder } from './ledger/artifact-folder.js';
import { Incoming } from './ledger/artifact-incoming.js';
import { ArtifactBucket } from './ledger/artifact-s3.js';
import type { ArtifactStore } from './ledger/artifact-store.js';
import type { DeskCheckpoints } from './ledger/checkpoints.js';
import { openPostgresLedger, openSqliteLedger } from './ledger/open-ledger.js';
import type { Verdict } from './core/verdict.js';
import { Applier } from './operations/applier.js';
import { steppingRunner } from './operations/runners.js';
import { EventFeed } from './operations/event-feed.js';
import { kindNamed, type Desk } from './operations/desk.js';
import { expireLeases } from './operations/expire.js';
import { instanceName, recoverPending } from './operations/recover.js';
import { requireWhole } from './operations/restoring.js';
import { retentionPass } from './operations/retention.js';
import { validateWork } from './nodes/validate-work.js';
import { Complaints } from './telemetry/complaints.js';

export interface Wired {
  readonly desk: Desk;
  /** Loads LangGraph when it is first asked for. */
  readonly graph: () => Promise<CompiledWorkGraph>;
  readonly checkpoints: DeskCheckpoints;
  /** Begins what a server does and a single command does not: reading the configured queues, retention on its schedule. */
  startDuties(report: Report): Promise<void>;
  /** Finishes what runs, stops the timers, closes the database. */
  close(): Promise<void>;
}

/** What tests and embedders may put in place of the machine's own. */
export interface WiringOptions {
  readonly now_ms?: () => number;
  /** Leave out recovery at start and on the timer; a test that wants to see an unapplied answer asks for it. */
  readonly recover?: boolean;
  /** Leave out telling origins on a timer; a test that tells them itself asks for it. */
  readonly deliver?: boolean;
}

/** Builds a desk from its configuration. The only place where concrete back ends are constructed. */
export async function wire(config: Config, options: WiringOptions = {}): Promise<Wired> {
  await mkdir(config.dataFolder, { recursive: true, mode: 0o700 });
  const { store, checkpoints } =
    config.databaseUrl === null
      ? openSqliteLedger(join(config.dataFolder, 'signalbox.db'))
      : await openPostgresLedger(config.databaseUrl);
  await requireWhole(store).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const verdicts = new Map<string, Verdict>();
  const ports: GraphPorts = {
    policyOf: (kind) => kindNamed(desk, kind),
    validate: async (position) => {
      const verdict = await validateWork(desk, position);
      verdicts.set(keyOf(position), verdict);
      return verdict;
    },
  };
  let compiled: Promise<CompiledWorkGraph> | undefined;
  const compile = async () => {
    const [{ compileGraph }, { saver }] = await Promise.all([
      import('./graph/graph.js'),
      checkpoints.langGraph(),
    ]);
    return compileGraph(ports, saver);
  };
  const graph = () => (compiled ??= compile());
  const threads = {
    checkpoints,
    verdictOf: (position: Pick<Position, 'tenant' | 'workId'>) => {
      const verdict = verdicts.get(keyOf(position));
      verdicts.delete(keyOf(position));
      return verdict;
    },
  };
  const stepper = config.runner === 'langgraph' ? null : new Stepper(ports);
  const applier = new Applier(
    () => desk,
    stepper
      ? steppingRunner(stepper, () => store, threads)
      : (await import('./operations/langgraph-runner.js')).langGraphRunner(await graph(), {
          runs: await checkpoints.langGraph(),
          verdictOf: threads.verdictOf,
        }),
  );
  const artifacts = await openArtifacts(config).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const desk: Desk = {
    store,
    kinds: config.kinds,
    cases: config.cases,
    artifacts,
    checkpoints,
    threads: graph,
    appliers: applier,
    feed: new EventFeed(store),
    stepper,
    instance: instanceName(randomUUID().slice(0, 8)),
    now_ms: options.now_ms ?? Date.now,
    newId: () => v7(),
  };
  const complaints = new Complaints();
  const keepDoing = (duty: string, work: () => Promise<unknown>, pause_ms: number) =>
    keepGoing(() => complaints.watch(duty, work), pause_ms);
  const recovers = options.recover !== false;
  const stopRecovery = recovers
    ? keepDoing('recovery', () => recoverPending(desk), LIMITS.recovery_ms)
    : notStarted;
  const stopExpiry = recovers
    ? keepDoing('reservations that have run out', () => expireLeases(desk), LIMITS.expirySweep_ms)
    : notStarted;
  const closing = new AbortController();
  const delivers = recovers && options.deliver !== false;
  const deliveries = new Deliveries(desk, { env: process.env, closing: closing.signal }, complaints);
  const stopDelivery = delivers
    ? keepDoing('cases', () => deliveryPass(desk, deliveries, closing.signal), LIMITS.deliveryPoll_ms)
    : notStarted;
  const intakes: Intake[] = [];
  let stopRetention = notStarted;
  return {
    desk,
    graph,
    checkpoints,
    async startDuties(report) {
      complaints.listen(report);
      if (delivers) sayUnready(config.cases, process.env, report);
      const { retention_ms: age_ms } = config;
      if (age_ms !== null)
        stopRetention = keepDoing(
          'retention',
          () => retentionPass(desk, age_ms, closing.signal),
          LIMITS.retentionLook_ms,
        );
      for (const intake of config.cases.sqs) intakes.push(await startSqsIntake(desk, intake, report));
    },
    async close() {
      closing.abort();
      await Promise.all(intakes.map((intake) => intake.stop()));
      await stopDelivery();
      await deliveries.settled();
      await stopRetention();
      await stopExpiry();
      await stopRecovery();
      await applier.settled();
      await store.close();
    },
  };
}

async function openArtifacts(config: Config): Promise<ArtifactStore> {
  if (config.artifacts !== null) {
    const incoming = new Incoming(join(config.dataFolder, 'incoming'));
    await incoming.sweep(Date.now(), LIMITS.incoming_ms);
    return await ArtifactBucket.open(config.artifacts, incoming);
  }
  const folder = new ArtifactFolder(join(config.dataFolder, 'artifacts'));
  await folder.sweep(Date.now(), LIMITS.incoming_ms);
  return folder;
}

const keyOf = (position: Pick<Position, 'tenant' | 'workId'>): string =>
  JSON.stringify([position.tenant, position.workId]);

const notStarted = (): Promise<void> => Promise.resolve();

/** Does something now and then on a timer, never twice at once. Gives what stops it. */
function keepGoing(work: () => Promise<void>, pause_ms: number): () => Promise<void> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const pass = async (): Promise<void> => {
    // A failed pass is said and not lost: what it could not finish is still there at the next.
    await work();
    if (stopped) return;
    timer = setTimeout(() => {
      current = pass();
    }, pause_ms);
    timer.unref();
  };
  let current = pass();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await current;
  };
}
