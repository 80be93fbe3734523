import { LIMITS } from '../core/limits.js';
import type { GateContext } from '../gates/submission-guard.js';
import { applyAtOnce } from './apply-at-once.js';
import type { Desk } from './desk.js';

/** What a gate needs of this desk, at this moment. */
export function gateContext(desk: Desk): GateContext {
  const now_ms = desk.now_ms();
  return {
    dialect: desk.store.dialect,
    now_ms,
    newId: desk.newId,
    applier: { id: desk.instance, until_ms: now_ms + LIMITS.applierLease_ms },
    applyAtOnce: (row, receipt) => applyAtOnce(desk, row, receipt),
  };
}
