import type { SchemaIssue } from '../core/kind.js';

/** One wrong place of a declaration or config file; `path` is a JSON Pointer into it, '' for the whole. */
export type ConfigIssue = SchemaIssue;

/**
 * A declaration or config file that cannot be used. Carries every problem found, not only the first,
 * and a message that names the file and the path of each, so that it can be shown as it is.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** What was wrong, such as `kind "invoice"`. */
  readonly subject: string;
  /** The config file; null where the declaration came from code. */
  readonly file: string | null;
  readonly issues: readonly ConfigIssue[];

  constructor(subject: string, issues: readonly ConfigIssue[], file: string | null = null) {
    super(messageOf(subject, issues, file));
    this.subject = subject;
    this.file = file;
    this.issues = Object.freeze(issues.map((issue) => Object.freeze({ ...issue })));
  }

  /** The same problems as seen from a file in which the declaration stands at `prefix` (a JSON Pointer). */
  within(file: string, prefix: string): ConfigError {
    const issues = this.issues.map(({ path, message }) => ({ path: prefix + path, message }));
    return new ConfigError(this.subject, issues, file);
  }
}

/**
 * Tells a ConfigError by its name: a config file that imports Signalbox itself may have loaded a second
 * copy of this class, for which `instanceof` would say no.
 */
export function isConfigError(error: unknown): error is ConfigError {
  return (
    error instanceof Error &&
    error.name === 'ConfigError' &&
    Array.isArray((error as Partial<ConfigError>).issues)
  );
}

function messageOf(subject: string, issues: readonly ConfigIssue[], file: string | null): string {
  const where = file === null ? '' : `${file}: `;
  const lines = issues.map(({ path, message }) => `  ${path === '' ? '(the whole)' : path}: ${message}`);
  return [`${where}${subject} cannot be used`, ...lines].join('\n');
}
