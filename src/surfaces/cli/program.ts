import {
  Argument,
  Command,
  CommanderError,
  InvalidArgumentError,
  Option as CommanderOption,
} from 'commander';
import { Args, type GlobalOptions } from './args.js';
import { report, type ExitCode } from './failures.js';
import { processOut } from './out.js';
import { Reach, type Programs } from './reach.js';
import type { AloneVerb, DoorVerb, Option, Verb } from './verb.js';
import { isVerb, VERBS } from './verbs.js';

const GLOBAL_OPTIONS: readonly Option[] = [
  { flags: '--json', says: 'print JSON and nothing else on stdout' },
  { flags: '--data <folder>', says: 'the data folder (SIGNALBOX_DATA; .signalbox)' },
  { flags: '--url <url>', says: 'the server (SIGNALBOX_URL; else the one running on the data folder)' },
  { flags: '--as <principal>', says: 'who you are on the data folder (SIGNALBOX_AS; owner)' },
  { flags: '--on-behalf-of <principal>', says: 'act for somebody else; both names go on record' },
  { flags: '--because <reason>', says: 'why you act for somebody else' },
  { flags: '--idempotency-key <key>', says: 'send the same key again to be sure that it happens once' },
];

/** What the options are called that a verb may come with, and whether a verb takes them. */
const nameOf = ({ flags }: Option): string => flags.split(' ')[0] ?? '';

/** What a verb takes of them that opens a folder itself, whoever one is: the rest would be taken and not heeded. */
const ALONE = ['--json', '--data'];

const takenBy = (verb: DoorVerb | AloneVerb): readonly Option[] =>
  'runAlone' in verb && verb.asDoor !== true
    ? GLOBAL_OPTIONS.filter((option) => ALONE.includes(nameOf(option)))
    : GLOBAL_OPTIONS;

const GLOBAL_TEXT = `Options of the verbs:\n${GLOBAL_OPTIONS.map(
  ({ flags, says }) => `  ${flags.padEnd(28)}${says}`,
).join('\n')}`;

const EXIT_TEXT =
  'Exit codes: 0 done, 1 refused (the code is on stderr), 2 wrong usage, 3 cannot reach or open.';

/**
 * Runs one command line. Only the file of the verb that is asked for is loaded; all of them for the help.
 * @param given the words after the program's name
 * @returns the exit code; nothing is thrown
 */
export async function runCommandLine(
  given: readonly string[],
  programs: Programs,
  env: NodeJS.ProcessEnv,
): Promise<ExitCode> {
  const argv = verbFirst(given);
  let exit: ExitCode = 0;
  const root = command('signalbox')
    .description('A durable job queue and human workbasket for AI workers.')
    .helpCommand(false)
    .addHelpText(
      'after',
      `\n${GLOBAL_TEXT}\n\n"signalbox <verb> --help" shows a verb with examples. ${EXIT_TEXT}`,
    );
  const act = async (verb: DoorVerb | AloneVerb, args: Args): Promise<void> => {
    exit = await runVerb(verb, args, new Reach(programs, args.global, env));
  };
  const [first = ''] = argv;
  const names = isVerb(first) ? [first] : Object.keys(VERBS).filter(isVerb);
  for (const name of names) root.addCommand(built([name], (await VERBS[name]()).verb, act));
  try {
    await root.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) return report(error, processOut(argv.includes('--json')));
    if (error.exitCode === 0) return 0;
    // Commander has said on stderr what is wrong; a program reads stdout.
    if (argv.includes('--json'))
      processOut(true).answer(
        { error: { code: 'USAGE', detail: error.message.replace(/^error: /, '') } },
        String,
      );
    return 2;
  }
  return exit;
}

/** `--json list` as `list --json`: options that every verb has may stand before it. */
function verbFirst(given: readonly string[]): readonly string[] {
  let words = 0;
  for (;;) {
    const [name = '', value] = (given[words] ?? '').split('=', 2);
    const option = GLOBAL_OPTIONS.find((each) => nameOf(each) === name);
    if (!option) break;
    words += option.flags.includes('<') && value === undefined ? 2 : 1;
  }
  const rest = given.slice(words);
  const end = rest.includes('--') ? rest.indexOf('--') : rest.length;
  return rest.length === 0 ? given : [...rest.slice(0, end), ...given.slice(0, words), ...rest.slice(end)];
}

async function runVerb(verb: DoorVerb | AloneVerb, args: Args, reach: Reach): Promise<ExitCode> {
  const out = processOut(args.global.json === true);
  try {
    if ('runAlone' in verb) return (await verb.runAlone(reach, args, out)) ?? 0;
    const reached = await reach.door({ founds: verb.founds === true });
    try {
      return (await verb.run(reached.door, args, out)) ?? 0;
    } finally {
      await reached.close();
    }
  } catch (error) {
    return report(error, out);
  }
}

type Act = (verb: DoorVerb | AloneVerb, args: Args) => Promise<void>;

/** @param words the verb as it is written: of a group, the group's name before its own */
function built(words: readonly string[], verb: Verb, act: Act): Command {
  const made = command(words.at(-1) ?? '', words).description(verb.summary);
  const examples = `\nExamples:\n${verb.examples.map((example) => `  $ ${example}`).join('\n')}`;
  if ('verbs' in verb) {
    made.addHelpText('after', examples);
    for (const [under, each] of Object.entries(verb.verbs))
      made.addCommand(built([...words, under], each, act));
    return made;
  }
  const taken = takenBy(verb);
  const also = taken.map(({ flags }) => flags).join('  ');
  made.addHelpText('after', `\nAlso, as "signalbox --help" explains:\n  ${also} \n${examples}`);
  for (const [argument, says, choices] of verb.arguments ?? []) {
    const positional = new Argument(argument, says);
    made.addArgument(choices ? positional.choices(choices) : positional);
  }
  for (const option of verb.options ?? []) made.addOption(asCommander(option));
  const own = new Set(made.options.map((option) => option.long));
  for (const option of taken.map(asCommander)) {
    if (!own.has(option.long)) made.addOption(option.hideHelp());
  }
  return made.action(async (...given: unknown[]) => {
    const positional = given.slice(0, -2) as (string | string[] | undefined)[];
    await act(verb, new Args(positional, given.at(-2) as GlobalOptions & Record<string, unknown>));
  });
}

/** A command that throws instead of ending the process, and points to its help when it is used wrongly. */
function command(name: string, words: readonly string[] = []): Command {
  return new Command(name)
    .exitOverride()
    .allowExcessArguments(false)
    .showHelpAfterError(`See "${['signalbox', ...words, '--help'].join(' ')}".`);
}

function asCommander(option: Option): CommanderOption {
  const made = new CommanderOption(option.flags, option.says);
  if (option.choices) made.choices(option.choices);
  if (option.needed) made.makeOptionMandatory();
  if (option.repeats) {
    const check = option.choices;
    made.argParser((value: string, before: string[] | undefined) => {
      if (check && !check.includes(value))
        throw new InvalidArgumentError(`Allowed choices are ${check.join(', ')}.`);
      return [...(before ?? []), value];
    });
    made.variadic = false;
  }
  return made;
}
