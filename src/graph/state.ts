import { Annotation } from '@langchain/langgraph';
import { z } from 'zod';
import type { Position } from '../core/work.js';

/**
 * The graph's state: one channel that always holds the last position and nothing older, because state that
 * keeps every result grows with the square of the rounds.
 */
export const WorkState = Annotation.Root({
  work: Annotation<Position>(),
});

export type WorkStateValue = typeof WorkState.State;

/** What a graph without a desk is started with. Anything else in its input is ignored, a position above all. */
export const RequestInput = z.object({
  request: z
    .object({
      kind: z.string().optional().describe('The kind of work; generic when left out'),
      workId: z.string().optional().describe('Required for a kind without identity fields'),
      input: z.unknown().describe('What is to be worked on, as its kind asks for it'),
    })
    .describe('The work to begin with'),
});

/** The state of a graph without a desk: the request besides, as it was last given. Zod, so that Studio sees its form. */
export const StandaloneState = z.object({
  work: z.unknown(),
  request: RequestInput.shape.request.optional(),
});
