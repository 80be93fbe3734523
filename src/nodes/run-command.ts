import { spawn, type ChildProcess } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

/** Bounds of one command. */
export const COMMAND_LIMITS = {
  /** Output kept, standard output and standard error together; what comes after is read and dropped. */
  output_bytes: 64 * 1024,
  /** How long output is still read after the command ended, where something that left its group holds the pipe. */
  drain_ms: 250,
} as const;

export interface CommandRequest {
  /** The program and its arguments. No shell reads them. */
  readonly argv: readonly string[];
  readonly folder: string;
  /** The whole environment; nothing is inherited beside it. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeLimit_ms: number;
  readonly signal?: AbortSignal | undefined;
}

/** How a command ended. `output` is cleaned text of at most COMMAND_LIMITS.output_bytes. */
export type CommandEnd = { readonly output: string } & (
  | { readonly how: 'exited'; readonly code: number }
  | { readonly how: 'killed'; readonly by: string }
  | { readonly how: 'time_limit' }
  | { readonly how: 'not_started'; readonly reason: string }
);

/**
 * Runs a command in its own process group, with nothing on standard input. Whatever is left of the group is killed
 * when the command ends, when its time is up, and when `signal` aborts; only a process that moved itself to another
 * session can outlive it. Rejects with the signal's reason on abort; never for what the command does. POSIX only.
 */
export async function runCommand(request: CommandRequest): Promise<CommandEnd> {
  request.signal?.throwIfAborted();
  const child = start(request);
  if ('how' in child) return child;
  const output = new CappedOutput();
  child.stdout?.on('data', (chunk: Buffer) => output.add(chunk));
  child.stderr?.on('data', (chunk: Buffer) => output.add(chunk));

  let stopped: 'time_limit' | 'aborted' | null = null;
  const stop = (why: 'time_limit' | 'aborted') => {
    stopped ??= why;
    killGroup(child);
  };
  const onAbort = () => stop('aborted');
  const timer = setTimeout(() => stop('time_limit'), request.timeLimit_ms);
  request.signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const end = await ended(child);
    if (wasStopped(stopped, 'aborted')) request.signal?.throwIfAborted();
    if (wasStopped(stopped, 'time_limit')) return { how: 'time_limit', output: output.text() };
    return { ...end, output: output.text() };
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', onAbort);
  }
}

/** The server's environment without what is its own business, by prefix of the name. */
export function environmentWithout(prefixes: readonly string[]): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !prefixes.some((prefix) => name.startsWith(prefix))) kept[name] = value;
  }
  return kept;
}

function start({ argv, folder, env }: CommandRequest): ChildProcess | CommandEnd {
  const [program = '', ...rest] = argv;
  try {
    // detached: a session and process group of its own, so that the whole of it can be killed at once.
    return spawn(program, rest, {
      cwd: folder,
      env,
      detached: true,
      shell: false,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    return { how: 'not_started', reason: String(error), output: '' };
  }
}

type End =
  { how: 'exited'; code: number } | { how: 'killed'; by: string } | { how: 'not_started'; reason: string };

function ended(child: ChildProcess): Promise<End> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      // Also emitted where a kill fails; a child that runs ends by 'exit'.
      if (child.pid === undefined) resolve({ how: 'not_started', reason: error.message });
    });
    child.once('exit', (code, by) => {
      killGroup(child);
      const end: End = code === null ? { how: 'killed', by: by ?? 'unknown' } : { how: 'exited', code };
      const drained = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, COMMAND_LIMITS.drain_ms);
      child.once('close', () => {
        clearTimeout(drained);
        resolve(end);
      });
    });
  });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // ESRCH: nobody of the group is left, which is what we want.
  }
}

/** Through a call, because the compiler does not see that a callback assigns to `stopped`. */
function wasStopped(stopped: string | null, why: string): boolean {
  return stopped === why;
}

class CappedOutput {
  readonly #chunks: Buffer[] = [];
  #kept_bytes = 0;
  #dropped_bytes = 0;

  add(chunk: Buffer): void {
    const kept = chunk.subarray(0, COMMAND_LIMITS.output_bytes - this.#kept_bytes);
    if (kept.length > 0) this.#chunks.push(kept);
    this.#kept_bytes += kept.length;
    this.#dropped_bytes += chunk.length - kept.length;
  }

  text(): string {
    const text = cleanText(Buffer.concat(this.#chunks).toString('utf8'));
    return this.#dropped_bytes === 0
      ? text
      : `${text}\n[${this.#dropped_bytes} more bytes of output were dropped]`;
  }
}

/** Text that any store takes and any terminal may show: no colours, no control characters but tab and line feed. */
export function cleanText(text: string): string {
  return (
    stripVTControlCharacters(text)
      .replaceAll('\r\n', '\n')
      // oxlint-disable-next-line no-control-regex -- they are what is to be removed
      .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
      .trim()
  );
}
