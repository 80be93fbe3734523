/** What the server tells whoever runs it: one JSON object a line on stderr, never a token or a body. */
export interface ServerLog {
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
  info(message: string, fields: Readonly<Record<string, unknown>>): void;
}

const RANKS = { silent: 0, error: 1, warn: 2, info: 3, debug: 4 } as const;
export type LogLevel = keyof typeof RANKS;

export function stderrLog(level: LogLevel): ServerLog {
  const line =
    (of: 'error' | 'info') =>
    (message: string, fields: Readonly<Record<string, unknown>>): void => {
      if (RANKS[level] < RANKS[of]) return;
      process.stderr.write(`${logLine({ at: new Date().toISOString(), level: of, message, ...fields })}\n`);
    };
  return { error: line('error'), info: line('info') };
}

/** One line, whatever is in it: what JSON leaves as it is although terminals obey it, or take it for a line end, is escaped too. */
export function logLine(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(fields).replaceAll(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** An error as the log keeps it: with its stack and what caused it. */
export function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  return {
    error: error.stack ?? error.message,
    ...(error.cause instanceof Error ? { cause: error.cause.stack ?? error.cause.message } : {}),
  };
}
