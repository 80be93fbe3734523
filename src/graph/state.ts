import { Annotation } from '@langchain/langgraph';
import type { Position } from '../core/work.js';

/**
 * The graph's state: one channel that always holds the last position and nothing older, because state that
 * keeps every result grows with the square of the rounds.
 */
export const WorkState = Annotation.Root({
  work: Annotation<Position>(),
});

export type WorkStateValue = typeof WorkState.State;
