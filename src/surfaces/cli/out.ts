/** Where a verb's words go. With --json, stdout carries one JSON value and nothing else. */
export interface Out {
  readonly json: boolean;
  /** The verb's answer: as JSON, or as the text that `human` makes of it. Once a verb. */
  answer<T>(value: T, human: (value: T) => string): void;
  /** One of many answers, as they come: a JSON line, or text. */
  each<T>(value: T, human: (value: T) => string): void;
  /** For people only, on stderr: what is going on, what to do next. */
  note(text: string): void;
  /** Shown in place on a terminal, nowhere else; an empty text clears it. */
  progress(text: string): void;
  failure(problem: Readonly<Record<string, unknown>>, text: string): void;
}

/**
 * Text for a terminal: what came from others must not move the cursor, colour the screen, or turn the direction of
 * what stands around it. Lines and tabs stay.
 */
export function forTerminal(text: string): string {
  // oxlint-disable-next-line no-control-regex -- they are what is to be removed
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '');
}

/** The process's own streams. */
export function processOut(json: boolean): Out {
  const { stdout, stderr } = process;
  const line = (text: string): void => {
    if (text !== '') stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  };
  let shown = false;
  const progress = (text: string): void => {
    if (!stderr.isTTY || (text === '' && !shown)) return;
    // Back to the line's beginning, and what stood there before wiped out.
    stderr.write(`\r\u001B[2K${forTerminal(text)}`);
    shown = text !== '';
  };
  return {
    json,
    answer: (value, human) => line(json ? JSON.stringify(value, null, 2) : forTerminal(human(value))),
    each: (value, human) => line(json ? JSON.stringify(value) : forTerminal(human(value))),
    note(text) {
      progress('');
      stderr.write(`${forTerminal(text)}\n`);
    },
    progress,
    failure(problem, text) {
      progress('');
      if (json) line(JSON.stringify({ error: problem }, null, 2));
      stderr.write(`${forTerminal(text)}\n`);
    },
  };
}

/** Notes that a person still reads; the rest are counted, and --json lists them all. */
const SOME = 20;

/** One note for each of some things, and how many more there are. */
export function noteSome<T>(out: Out, things: readonly T[], text: (thing: T) => string): void {
  for (const thing of things.slice(0, SOME)) out.note(text(thing));
  if (things.length > SOME) out.note(`… and ${things.length - SOME} more; --json lists them all`);
}

/** A reader that goes away (`signalbox list | head`) ends the output, not the work under way. */
export function tolerateClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
