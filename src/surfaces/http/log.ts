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
      process.stderr.write(
        `${JSON.stringify({ at: new Date().toISOString(), level: of, message, ...fields })}\n`,
      );
    };
  return { error: line('error'), info: line('info') };
}

/** An error as the log keeps it: with its stack and what caused it. */
export function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  return {
    error: error.stack ?? error.message,
    ...(error.cause instanceof Error ? { cause: error.cause.stack ?? error.cause.message } : {}),
  };
}
