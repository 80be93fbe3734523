import type { FieldIssue } from '../core/refusals.js';
import type { JsonObject } from './import-request.js';

/**
 * Reads the fields of one object by type and remembers the first that does not fit, so a parser reads
 * straight down and asks once at the end. `null` counts as absent: exports print it for "none".
 */
export class FieldReader {
  issue: FieldIssue | null = null;

  constructor(private readonly object: JsonObject) {}

  text(name: string): string | undefined {
    const value = this.object[name] ?? undefined;
    if (value === undefined || typeof value === 'string') return value;
    return this.reject(`/${name}`, 'must be text');
  }

  /** Text that is left out when it is blank. */
  filledText(name: string): string | undefined {
    const value = this.text(name);
    return value === undefined || value.trim() === '' ? undefined : value;
  }

  requiredText(name: string): string {
    const value = this.text(name);
    if (value !== undefined && value.trim() !== '') return value;
    this.reject(`/${name}`, 'is required');
    return '';
  }

  wholeNumber(name: string): number | undefined {
    const value = this.object[name] ?? undefined;
    if (value === undefined || (typeof value === 'number' && Number.isSafeInteger(value))) return value;
    return this.reject(`/${name}`, 'must be a whole number');
  }

  /** Names without repetition, in the order given. */
  names(name: string): string[] {
    const value = this.object[name] ?? [];
    if (!Array.isArray(value)) {
      this.reject(`/${name}`, 'must be a list');
      return [];
    }
    for (const [index, item] of value.entries()) {
      if (typeof item !== 'string') this.reject(`/${name}/${index}`, 'must be text');
    }
    return [...new Set(value.filter((item) => typeof item === 'string'))];
  }

  /** Objects of a list; anything else in it is an issue. */
  objects(name: string): JsonObject[] {
    const value = this.object[name] ?? [];
    if (!Array.isArray(value)) {
      this.reject(`/${name}`, 'must be a list');
      return [];
    }
    const found: JsonObject[] = [];
    for (const [index, item] of value.entries()) {
      if (typeof item === 'object' && item !== null && !Array.isArray(item)) found.push(item);
      else this.reject(`/${name}/${index}`, 'must be an object');
    }
    return found;
  }

  reject(path: string, message: string): undefined {
    this.issue ??= { path, message };
    return undefined;
  }
}

type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Drops the members that are undefined, so that optional fields are absent rather than empty. */
export function present<T extends object>(object: T): Present<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Present<T>;
}
