import { interrupt } from '@langchain/langgraph';
import { advance, type Answer, type FlowPolicy } from '../core/advance.js';
import type { Position } from '../core/work.js';
import { answerSchema } from './answer-schema.js';
import { waitRequest } from './waiting.js';

/**
 * One pass of a waiting node: one interrupt, one answer, one step. `extra` is what this status shows besides.
 * Nothing here may throw after the interrupt has returned: LangGraph would replay the consumed answer for ever.
 */
export function waitAndAdvance(
  position: Position,
  policy: FlowPolicy,
  extra: Readonly<Record<string, unknown>> = {},
): Position {
  const { answer } = interrupt<unknown, { answer: Answer }>(
    { ...waitRequest(position), ...extra },
    { responseSchema: answerSchema(position) as never },
  );
  return advance(position, answer, policy);
}
