import { REFUSALS } from '../../src/core/refusals.js';
import { problemAnswer } from '../../src/surfaces/http/answer-schemas.js';
import type { WireAnswer } from './send.js';

/** An answer longer in coming than this is told as slow; a wait that the caller asked for is not counted. */
const SLOW_ms = 5_000;

/** What only the inside of the server can have said: stacks, files, database errors. */
const INSIDES: readonly RegExp[] = [
  /\n\s+at .+:\d+:\d+/,
  /node:internal|node_modules|file:\/\//,
  /\.(?:ts|js):\d+/,
  /SQLITE_|constraint failed|no such (?:table|column)|syntax error at or near/,
  /\b(?:SELECT|INSERT INTO|UPDATE) .+ (?:FROM|VALUES|SET) /,
  /Cannot read propert|is not a function|is not iterable|undefined \(reading/,
];

/** @throws Error for text that tells of our inside */
export function requireNoInsides(text: string, dataDir: string): void {
  const told = INSIDES.find((inside) => inside.test(text));
  if (told) throw new Error(`tells of its inside (${String(told)}): ${text.slice(0, 500)}`);
  for (const place of [dataDir, process.cwd()])
    if (text.includes(place)) throw new Error(`tells a place of this machine: ${text.slice(0, 500)}`);
}

export interface Expected {
  readonly dataDir: string;
  /** Refusals here have the shape of the contract; pages and foreign protocols have their own. */
  readonly problems: boolean;
  /** Status codes that LangGraph's or MCP's own protocol adds. */
  readonly also?: readonly number[];
}

/** @throws Error when an answer is none that any request may get */
export function requireProper(answer: WireAnswer, { dataDir, problems }: Expected): void {
  const { status, text, took_ms } = answer;
  if (status === 503) {
    const paused = text.includes('BUSY') && answer.headers['retry-after'] !== undefined;
    if (!paused) throw new Error(`503 without saying when to come back: ${text.slice(0, 300)}`);
  } else if (status >= 500 || status < 200) throw new Error(`status ${status}: ${text.slice(0, 500)}`);
  if (took_ms > SLOW_ms) throw new Error(`took ${Math.round(took_ms)} ms`);
  requireNoInsides(text, dataDir);
  if (status < 400 || !problems) return;
  const type = String(answer.headers['content-type'] ?? '');
  if (!type.startsWith('application/problem+json'))
    throw new Error(`${status} is ${type}: ${text.slice(0, 300)}`);
  const problem = problemAnswer.parse(JSON.parse(text));
  if (!Object.hasOwn(REFUSALS, problem.code)) throw new Error(`unknown code ${problem.code}`);
}
