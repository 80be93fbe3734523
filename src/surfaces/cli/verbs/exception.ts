import { parseJson, present, type Args } from '../args.js';
import { UsageError } from '../failures.js';
import { readText } from '../read-source.js';
import { clock, fields, plain } from '../table.js';
import { tellJudged } from '../tell-judged.js';
import type { DoorVerb, VerbGroup } from '../verb.js';

const INTERRUPT = { flags: '--interrupt <id>', says: 'the wait you looked at' } as const;
const CASE = [['<case>', 'its workId or exceptionId']] as const;
const ORIGIN = [
  { flags: '--system <name>', says: 'the system that raised it, where the ID alone fits several' },
  { flags: '--run <id>', says: 'the run that raised it' },
] as const;

const record: DoorVerb = {
  summary: 'Record an exception from a JSON file; the same one again is an observation',
  founds: true,
  arguments: [['<file>', 'the file; - reads stdin']],
  examples: ['signalbox exception record exception.json', 'signalbox exception record - < exception.json'],
  async run(door, args, out) {
    const path = args.at(0);
    const body = parseJson(await readText(path), path);
    out.answer(await door.recordException(body, args.call()), ({ outcome, work, case: kept }) =>
      fields([
        ['outcome', outcome],
        ['case', work.workId],
        ['exception', kept.exceptionId],
        ['status', work.status],
        ['team', kept.team],
        ['observations', kept.observations],
        ['decided by', kept.decidedBy],
      ]),
    );
  },
};

const jsonText = (value: unknown): string | null =>
  value === null || value === undefined ? null : JSON.stringify(value);

/** As --operation takes it; whatever else an origin calls an operation, as it stands. */
function operationText(operation: unknown): string | null {
  const { version, sha256 } = (operation ?? {}) as { version?: unknown; sha256?: unknown };
  return typeof version === 'string' && typeof sha256 === 'string'
    ? `${version}:${sha256}`
    : jsonText(operation);
}

const show: DoorVerb = {
  summary: 'Show a case: its evidence, decision, and what was done outside',
  arguments: CASE,
  options: ORIGIN,
  examples: ['signalbox exception show price-17 --system ordering'],
  async run(door, args, out) {
    const query = present({ system: args.text('system'), runId: args.text('run') });
    out.answer(await door.showCase(args.at(0), query), (one) => {
      const { work, awaitingInfo, decision } = one;
      const about = fields([
        ['case', work.workId],
        ['summary', work.title],
        ['exception', one.exceptionId],
        ['origin', `${one.origin.system} ${one.origin.runId}`],
        ['class', one.classification],
        ['impact', work.impact],
        ['urgency', work.urgency],
        ['status', work.status],
        ['interrupt', work.wait?.interruptId],
        ['input version', work.inputVersion],
        ['team', one.team],
        ['holder', work.holder],
        ['due', clock(work.dueAt)],
        ['observations', one.observations],
        ['operation', operationText(one.operation)],
        ['done so far', jsonText(one.doneSoFar)],
        ['external IDs', jsonText(one.externalIds)],
        [
          'asked',
          awaitingInfo
            ? `${awaitingInfo.who} until ${clock(awaitingInfo.until)}: ${awaitingInfo.what}`
            : null,
        ],
        ['decision', decision ? `${decision.decision} by ${decision.decidedBy}: ${decision.reason}` : null],
        ['reflected', clock(one.reflectedAt)],
      ]);
      const told = one.deliveries.map(
        ({ target, state, failures, lastError }) =>
          `\n${plain(`delivery  ${target} ${state}, ${failures} failures ${lastError ?? ''}`)}`,
      );
      const evidence = one.evidence.map(
        ({ label, ref, body, at, givenBy, current }) =>
          `\nevidence  ${plain(`${label ?? ''} ${ref ?? ''} ${jsonText(body) ?? ''}`.trim())} (${current ? '' : 'superseded, '}${clock(at) ?? ''} by ${plain(givenBy)})`,
      );
      return `${about}${told.join('')}${evidence.join('')}`;
    });
  },
};

/** `version:sha256`, as the case names the operation to be judged. */
function operationOf(args: Args): { version: string; sha256: string } | undefined {
  const text = args.text('operation');
  if (text === undefined) return undefined;
  const [version, sha256] = text.split(/:(?=[^:]*$)/);
  if (!version || !sha256) throw new UsageError('--operation is written version:sha256');
  return { version, sha256 };
}

const decide: DoorVerb = {
  summary: 'Decide a case that you hold; its origin is told',
  arguments: CASE,
  options: [
    INTERRUPT,
    { flags: '--input-version <number>', says: 'the version you read', needed: true },
    { flags: '--operation <version:sha256>', says: 'the operation you judge, where the case names one' },
    { flags: '--decision <word>', says: 'what you decide', needed: true },
    { flags: '--reason <text>', says: 'why; goes on record', needed: true },
    { flags: '--result <json>', says: 'what the origin is to go on with' },
    {
      flags: '--operations <json>',
      says: 'what was done outside: a list of {operationId, outcome, externalId}',
    },
  ],
  examples: [
    'signalbox exception decide price-17 --interrupt 5f1c… --input-version 1 --decision order --reason "the quote is signed"',
  ],
  async run(door, args, out) {
    const id = args.at(0);
    const body = present({
      interruptId: args.interrupt(id),
      inputVersion: args.number('inputVersion'),
      operation: operationOf(args),
      decision: args.text('decision'),
      reason: args.text('reason'),
      result: args.json('result'),
      operations: args.json('operations'),
    });
    out.answer(await door.decideCase(id, body, args.call()), tellJudged);
  },
};

const ask: DoorVerb = {
  summary: 'Ask somebody for material; the case waits and stays yours',
  arguments: CASE,
  options: [
    INTERRUPT,
    { flags: '--who <name>', says: 'who is asked', needed: true },
    { flags: '--what <text>', says: 'what for', needed: true },
    { flags: '--until <time>', says: 'RFC 3339; then the case comes back', needed: true },
  ],
  examples: [
    'signalbox exception ask price-17 --interrupt 5f1c… --who supplier --what "the signed quote" --until 2026-05-02T12:00:00Z',
  ],
  async run(door, args, out) {
    const id = args.at(0);
    const body = present({
      interruptId: args.interrupt(id),
      who: args.text('who'),
      what: args.text('what'),
      until: args.text('until'),
    });
    out.answer(await door.requestInfo(id, body, args.call()), tellJudged);
  },
};

const tellNow: DoorVerb = {
  summary: 'Try to tell the origin now instead of after the pause; nothing is decided again',
  arguments: CASE,
  options: [{ flags: '--reason <text>', says: 'why; goes on record', needed: true }],
  examples: ['signalbox exception tell-now price-17 --reason "their server is back"'],
  async run(door, args, out) {
    const told = await door.tellNow(args.at(0), present({ reason: args.text('reason') }), args.call());
    out.answer(told, ({ delivery }) => `due now: ${delivery.deliveryId}`);
  },
};

const answer: DoorVerb = {
  summary: 'Bring the material that a case waits for',
  arguments: CASE,
  options: [
    { flags: '--reason <text>', says: 'what you bring', needed: true },
    { flags: '--evidence <json>', says: 'a list of {label, ref, body}' },
  ],
  examples: [
    `signalbox exception answer price-17 --reason "the signed quote" --evidence '[{"ref":"dms:88"}]'`,
  ],
  async run(door, args, out) {
    const body = present({ reason: args.text('reason'), evidence: args.json('evidence') });
    out.answer(await door.provideInfo(args.at(0), body, args.call()), tellJudged);
  },
};

export const verb: VerbGroup = {
  summary: 'Exceptions that people decide',
  examples: ['signalbox exception record exception.json', 'signalbox exception show price-17'],
  verbs: { record, show, decide, ask, answer, 'tell-now': tellNow },
};
