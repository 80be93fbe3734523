import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresCluster } from './postgres-cluster.js';
import type { Killable } from './processes.js';

/** Something that was done to the running system. */
export interface Blow {
  readonly at_ms: number;
  readonly what: 'server killed' | 'worker killed' | 'database stopped' | 'database crashed';
  readonly whom: string;
}

export interface Targets {
  readonly servers: readonly Killable[];
  readonly workers: readonly Killable[];
  /** Null on SQLite, which has no process to crash. */
  readonly cluster: PostgresCluster | null;
}

export interface BlowPlan {
  readonly duration_ms: number;
  /** Between two kills, at least and at most. */
  readonly pause_ms: readonly [number, number];
  readonly random: () => number;
}

/**
 * Kills a server or a process of workers every few seconds and starts it again at once; a third through stops the
 * database in order, two thirds through crashes it. Leaves the last seconds in peace, so that recovery can be seen.
 */
export async function strike(targets: Targets, plan: BlowPlan, tell: (blow: Blow) => void): Promise<void> {
  const { duration_ms, pause_ms, random } = plan;
  const began_ms = performance.now();
  const elapsed_ms = (): number => performance.now() - began_ms;
  const restarts: { mode: 'fast' | 'immediate'; due_ms: number }[] = targets.cluster
    ? [
        { mode: 'fast', due_ms: duration_ms / 3 },
        { mode: 'immediate', due_ms: (duration_ms * 2) / 3 },
      ]
    : [];
  const calm_ms = Math.min(10_000, duration_ms / 4);
  for (;;) {
    await sleep(pause_ms[0] + random() * (pause_ms[1] - pause_ms[0]));
    const restart = restarts[0];
    // A slow machine may be late for them; they are struck all the same.
    if (restart === undefined && elapsed_ms() > duration_ms - calm_ms) break;
    if (targets.cluster && restart && elapsed_ms() > restart.due_ms) {
      restarts.shift();
      const what = restart.mode === 'fast' ? 'database stopped' : 'database crashed';
      tell({ at_ms: Date.now(), what, whom: 'database' });
      await targets.cluster.stop(restart.mode);
      await targets.cluster.start();
      continue;
    }
    const ofServers = random() < 0.5;
    const among = ofServers ? targets.servers : targets.workers;
    const victim = among[Math.floor(random() * among.length)];
    if (!victim) continue;
    tell({ at_ms: Date.now(), what: ofServers ? 'server killed' : 'worker killed', whom: victim.name });
    await victim.kill();
    victim.start();
  }
  await sleep(calm_ms);
}
