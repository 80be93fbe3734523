import type { FlowPolicy } from '../core/advance.js';
import type { Position } from '../core/work.js';
import { waitAndAdvance } from './waiting.js';

/** ASSET_GATE: waits for the record that keeps the result findable. */
export function assetGate(position: Position, policy: FlowPolicy): Position {
  return waitAndAdvance(position, policy);
}
