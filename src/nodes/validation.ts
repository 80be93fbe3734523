import { advance, type FlowPolicy } from '../core/advance.js';
import type { Verdict } from '../core/verdict.js';
import type { Position } from '../core/work.js';

export type Validate = (position: Position) => Promise<Verdict>;

/** VALIDATION: waits for nobody. Reads the artifact by its hash and lets the kind's validators judge it. */
export async function validation(
  position: Position,
  policy: FlowPolicy,
  validate: Validate,
): Promise<Position> {
  const { outcome, findings } = await validate(position);
  return advance(position, { action: 'validated', outcome, findings }, policy);
}
