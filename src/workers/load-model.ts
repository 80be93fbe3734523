import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';

/** A module that does not give a chat model. */
export class ModelModuleError extends Error {
  override readonly name = 'ModelModuleError';
}

/**
 * The chat model that a user's own module exports as `default` or `model`: a BaseChatModel, or a function that makes
 * one. Recognised by its `invoke`, because the module may bring its own copy of `@langchain/core`.
 * @throws ModelModuleError that says what is wrong
 */
export async function loadModel(path: string): Promise<Pick<BaseChatModel, 'invoke'>> {
  let exported: Record<string, unknown>;
  try {
    exported = (await import(pathToFileURL(resolve(path)).href)) as Record<string, unknown>;
  } catch (error) {
    throw new ModelModuleError(
      `${path} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const given = exported['default'] ?? exported['model'];
  const model: unknown = typeof given === 'function' ? await (given as () => unknown)() : given;
  if (isModel(model)) return model;
  throw new ModelModuleError(
    `${path} must export a chat model of @langchain/core (or a function that makes one) as default or as "model"`,
  );
}

function isModel(value: unknown): value is Pick<BaseChatModel, 'invoke'> {
  return (
    typeof value === 'object' && value !== null && 'invoke' in value && typeof value.invoke === 'function'
  );
}
