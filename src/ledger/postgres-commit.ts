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

/**
 * What became of a transaction whose COMMIT was not answered. The server's own record of it survives a restart, so the
 * caller is never told that something failed which stands, nor the reverse.
 * @param timeline of the server that was sent the COMMIT
 * @throws CommitUnknown when a replica took over, whose transaction IDs may be other transactions, or none answers in time
 */
export async function outcomeOfCommit(
  pool: pg.Pool,
  xid: string,
  timeline: string,
): Promise<'committed' | 'aborted'> {
  const began_ms = performance.now();
  while (performance.now() - began_ms < LIMITS.databaseGone_ms) {
    const found = await ask(pool, xid).catch(() => undefined);
    if (found) {
      if (found.timeline !== timeline) throw new CommitUnknown('another server took over');
      if (found.status === 'committed' || found.status === 'aborted') return found.status;
      if (found.status === null) throw new CommitUnknown('the connection broke');
    }
    // In progress: the server has not yet noticed that its client is gone, or is not back yet.
    await sleep(LIMITS.transactionPauseMax_ms / 10);
  }
  throw new CommitUnknown('the database went away');
}

async function ask(pool: pg.Pool, xid: string) {
  const { rows } = await pool.query<{ status: string | null; timeline: string }>(
    'SELECT pg_xact_status($1::xid8) AS status, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline',
    [xid],
  );
  return rows[0];
}
