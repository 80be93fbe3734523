import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { LIMITS } from '../core/limits.js';

export interface ShellCommand {
  /** Read by `/bin/sh -c`. */
  readonly command: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** Ends the command: SIGTERM to its whole process group, SIGKILL to what is left of it after a grace. */
  readonly signal: AbortSignal;
  /** Every line of stdout and stderr as it comes, without its end. */
  readonly onLine: (line: string, from: 'stdout' | 'stderr') => void;
}

/** How the command ended; `stopped` where the signal ended it. */
export type ShellEnd =
  | { readonly how: 'exited'; readonly code: number; readonly stopped: boolean }
  | { readonly how: 'killed'; readonly by: string; readonly stopped: boolean }
  | { readonly how: 'not_started'; readonly reason: string; readonly stopped: boolean };

/**
 * Watches, in the command's own process group, a pipe whose other end only this process holds: when this process is
 * gone, however it went, the pipe closes and the group is killed, so that no command goes on with a work that
 * somebody else may have by now. Then the command takes the shell's place.
 */
const WATCHED = `( trap '' TERM INT HUP; read -r _ <&3; kill -KILL 0 ) </dev/null >/dev/null 2>&1 &
exec 3<&-
exec /bin/sh -c "$1"`;

/**
 * Runs a command in a process group of its own. When this returns nobody of the group is left, whatever the command
 * did: only a process that moved itself to another session can outlive it. POSIX only. Never rejects.
 */
export async function runShell(asked: ShellCommand): Promise<ShellEnd> {
  const { signal } = asked;
  const child = spawn('/bin/sh', ['-c', WATCHED, 'sh', asked.command], {
    cwd: asked.folder,
    env: asked.env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  // Held open for as long as this process lives; it is written to by nobody.
  child.stdio[3]?.on('error', () => undefined);
  // A command that does not read its stdin is in its right; the broken pipe is no failure.
  child.stdin.on('error', () => undefined);
  child.stdin.end(asked.stdin);
  byLine(child.stdout, (line) => asked.onLine(line, 'stdout'));
  byLine(child.stderr, (line) => asked.onLine(line, 'stderr'));
  let kill: NodeJS.Timeout | undefined;
  const stop = (): void => {
    signalGroup(child, 'SIGTERM');
    kill = setTimeout(() => signalGroup(child, 'SIGKILL'), LIMITS.taskGrace_ms);
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    return { ...(await ended(child)), stopped: signal.aborted };
  } finally {
    clearTimeout(kill);
    signal.removeEventListener('abort', stop);
  }
}

type End =
  | { readonly how: 'exited'; readonly code: number }
  | { readonly how: 'killed'; readonly by: string }
  | { readonly how: 'not_started'; readonly reason: string };

function ended(child: ChildProcessWithoutNullStreams): Promise<End> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) resolve({ how: 'not_started', reason: error.message });
    });
    child.once('exit', (code, by) => {
      // What the command left behind in its group would go on working on a work that is over.
      signalGroup(child, 'SIGKILL');
      const end: End = code === null ? { how: 'killed', by: by ?? 'a signal' } : { how: 'exited', code };
      const drained = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, LIMITS.taskDrain_ms);
      child.once('close', () => {
        clearTimeout(drained);
        resolve(end);
      });
    });
  });
}

function signalGroup(child: ChildProcessWithoutNullStreams, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // ESRCH: nobody of the group is left, which is what is wanted.
  }
}

function byLine(stream: NodeJS.ReadableStream, each: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    // A line without end is passed on in pieces rather than kept without bound.
    if (rest.length > LIMITS.taskLine_chars) {
      lines.push(rest);
      rest = '';
    }
    for (const line of lines) each(line.replace(/\r$/, ''));
  });
  stream.on('end', () => {
    rest += decoder.end();
    if (rest !== '') each(rest);
  });
}
