import type { z } from 'zod';
import type { DoorLike } from '../../client.js';
import type { CallOptions } from '../../operations/answer-wait.js';

/** Arguments of a call as they came, once it is sure that they are an object. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** One tool that a model may call. */
export interface Tool {
  readonly name: string;
  /** Written for a model that has nothing else to read: when to call it, with what, what to do when it is refused. */
  readonly description: string;
  /** What the model is told about the arguments. The door checks them again, in its own order. */
  readonly input: z.ZodObject;
  /** True where nothing is changed by it. */
  readonly readOnly?: true;
  call(door: DoorLike, given: ToolArguments, options: CallOptions): Promise<object>;
}
