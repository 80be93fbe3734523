import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { LIMITS } from '../core/limits.js';
import { Refusal } from '../core/refusals.js';

/** A commit was sent and nobody can say whether it stands. Its sender must ask again under the same key. */
export class CommitUnknown extends Refusal {
  constructor(why: string) {
    super(
      'BUSY',
      `${why} while this was being committed, so it may or may not stand: send the same again with the same idempotency key, or look at the work`,
    );
  }
}

/** Which life of which server a connection is of. */
export interface ServerLife {
  /** Another one means that a replica took over. */
  readonly timeline: string;
  /**
   * Since when the server counts what it does: it begins anew with every recovery from a crash and with no stop in
   * order, and by an administrator's reset. Its start time would not do: it outlives the crash of a session.
   */
  readonly countedSince: string | null;
}

/** As columns of a query. */
const LIFE = `substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline,
  (SELECT stats_reset::text FROM pg_stat_bgwriter) AS "countedSince"`;

/** @throws the server's error, on a replica too, which writes no log of its own */
export async function lifeOf(client: pg.ClientBase): Promise<ServerLife> {
  const { rows } = await client.query<ServerLife>(`SELECT ${LIFE}`);
  return rows[0] as ServerLife;
}

/**
 * What became of a transaction whose COMMIT was not answered. The server's own record of it survives a restart, so the
 * caller is never told that something failed which stands, nor the reverse.
 *
 * A crash may take the record along: where nothing of the transaction had reached the disk, its ID is given out again,
 * and "committed" is then said of somebody else's. What is not committed there never was ours. (docs/decisions/0028)
 * @param life of the server that was sent the COMMIT
 * @throws CommitUnknown when a replica took over, whose transaction IDs may be other transactions, when the server has
 *   crashed meanwhile and a transaction of this ID is committed, or when none answers in time
 */
export async function outcomeOfCommit(
  pool: pg.Pool,
  xid: string,
  life: ServerLife | undefined,
): Promise<'committed' | 'aborted'> {
  const began_ms = performance.now();
  while (performance.now() - began_ms < LIMITS.databaseGone_ms) {
    const found = await ask(pool, xid).catch(() => undefined);
    if (found) {
      if (found.timeline !== life?.timeline) throw new CommitUnknown('another server took over');
      if (found.status === null) throw new CommitUnknown('the connection broke');
      if (found.countedSince !== null && found.countedSince === life.countedSince) {
        if (found.status !== 'in progress') return found.status;
      } else {
        if (found.status === 'committed') throw new CommitUnknown('the server crashed');
        return 'aborted';
      }
    }
    // In progress: the server has not yet noticed that its client is gone, or is not back yet.
    await sleep(LIMITS.transactionPauseMax_ms / 10);
  }
  throw new CommitUnknown('the database went away');
}

type Found = ServerLife & { status: 'committed' | 'aborted' | 'in progress' | null };

/** An ID that no completed transaction of this server has reached is in progress, or not given out (again) yet. */
async function ask(pool: pg.Pool, xid: string): Promise<Found | undefined> {
  const { rows } = await pool.query<Found>(
    `SELECT CASE WHEN $1::xid8 < pg_snapshot_xmax(pg_current_snapshot()) THEN pg_xact_status($1::xid8)
      ELSE 'in progress' END AS status, ${LIFE}`,
    [xid],
  );
  return rows[0];
}
