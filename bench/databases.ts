import { mkdtemp } from 'node:fs/promises';
import { chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresCluster } from '../proof/storm/postgres-cluster.js';

/** Databases on a PostgreSQL of our own that syncs every commit, as it comes; started when first asked for one. */
export class Databases {
  private cluster: Promise<PostgresCluster> | undefined;
  private count = 0;

  async create(): Promise<string> {
    this.cluster ??= this.start();
    const cluster = await this.cluster;
    this.count += 1;
    const name = `bench_${this.count}`;
    await cluster.query(`CREATE DATABASE ${name}`);
    const url = new URL(cluster.url);
    url.pathname = `/${name}`;
    return url.href;
  }

  async bytes(url: string): Promise<number> {
    const cluster = await this.cluster;
    const rows = await cluster?.query<{ size: string }>(`SELECT pg_database_size('${nameOf(url)}') AS size`);
    return Number(rows?.[0]?.size ?? 0);
  }

  async drop(url: string): Promise<void> {
    await (await this.cluster)?.query(`DROP DATABASE ${nameOf(url)} WITH (FORCE)`);
  }

  async close(): Promise<void> {
    await (await this.cluster)?.remove();
  }

  private async start(): Promise<PostgresCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'signalbox-bench-pg-'));
    // Root may not run PostgreSQL; the user who does must reach its folder.
    chmodSync(folder, 0o777);
    return await PostgresCluster.create(join(folder, 'data'));
  }
}

const nameOf = (url: string): string => new URL(url).pathname.slice(1);
