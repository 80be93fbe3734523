import type { Entrance } from './entrance.js';
import type { FailureAllowance } from './failed-attempts.js';
import type { Allowance } from './limits.js';
import type { ServerLog } from './log.js';

export interface AppOptions {
  readonly log: ServerLog;
  readonly version: string;
  /** Only requests addressed to this machine's own names are taken (against DNS rebinding). */
  readonly loopbackOnly: boolean;
  readonly allowance?: Allowance;
  readonly failures?: FailureAllowance;
  /** Aborted when the server stops, so that streams end. */
  readonly closing: AbortSignal;
}

export interface AppEnv {
  Variables: { requestId: string; entrance: Entrance };
}
