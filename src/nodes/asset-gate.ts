import type { FlowPolicy } from '../core/advance.js';
import type { Position } from '../core/work.js';
import type { Moved, Wait } from './waiting.js';

/** ASSET_GATE: waits for the record that keeps the result findable. */
export function assetGate(position: Position, policy: FlowPolicy, wait: Wait): Moved {
  return wait(position, policy);
}
