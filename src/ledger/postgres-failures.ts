import { WriteConflict } from './record.js';

/** What a failure of PostgreSQL means for the transaction it ended. */
export type Failure =
  /** Another transaction was in the way; nothing of this one remains. Run again, it sees the other. */
  | 'conflict'
  /** The connection is gone or could not be had. What was not committed is not there. */
  | 'connection'
  /** Neither will help to run it again. */
  | 'final';

/**
 * serialization_failure, deadlock_detected, unique_violation (a second run finds the row that the other one wrote),
 * lock_not_available.
 */
const CONFLICTS: readonly string[] = ['40001', '40P01', '23505', '55P03'];

/** admin_shutdown, crash_shutdown, cannot_connect_now, too_many_connections, idle_in_transaction_session_timeout, read_only_sql_transaction (a primary that has just been replaced). */
const DISCONNECTS: readonly string[] = ['57P01', '57P02', '57P03', '53300', '25P03', '25006'];

const NETWORK: readonly string[] = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
];

/** What node-postgres says without a code when a connection ends or none comes free in time. */
const WITHOUT_CODE =
  /connection terminated|client was closed|timeout exceeded|timeout expired|not queryable/i;

export function failureOf(error: unknown): Failure {
  if (error instanceof WriteConflict) return error.settled ? 'final' : 'conflict';
  const { code, message, constraint } = error as { code?: unknown; message?: unknown; constraint?: unknown };
  // A checkpoint whose parent has a successor is not a race: it can never be taken.
  if (constraint === 'checkpoints_no_fork') return 'final';
  if (typeof code === 'string') {
    if (CONFLICTS.includes(code)) return 'conflict';
    if (code.startsWith('08') || DISCONNECTS.includes(code) || NETWORK.includes(code)) return 'connection';
    return 'final';
  }
  if (error instanceof NotPrimary) return 'connection';
  return typeof message === 'string' && WITHOUT_CODE.test(message) ? 'connection' : 'final';
}

/** The server is a replica: whoever decided on what it says might decide on the past. */
export class NotPrimary extends Error {
  override readonly name = 'NotPrimary';
}
