import { describe, expect, it } from 'vitest';
import { VERBS, isVerb } from '../../src/surfaces/cli/verbs.js';
import { signalbox, withoutTheDesk } from './command.js';

const names = Object.keys(VERBS).filter(isVerb);

describe('help', () => {
  it('names every verb and the exit codes, and loads no desk', async () => {
    const { code, stdout } = await signalbox(['--help'], { node: withoutTheDesk() });
    expect(code).toBe(0);
    for (const name of names) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
    expect(stdout).toContain('Exit codes');
  });

  it.each(names)(
    '%s --help shows examples that use options it has',
    async (name) => {
      const { verb } = await VERBS[name]();
      const under = 'verbs' in verb ? Object.keys(verb.verbs).map((each) => [name, each]) : [];
      for (const words of [[name], ...under]) {
        const { code, stdout } = await signalbox([...words, '--help']);
        expect(code).toBe(0);
        const examples = stdout.slice(stdout.indexOf('Examples:')).match(/\$ .*/g) ?? [];
        expect(examples).not.toEqual([]);
        const ours = examples.filter((example) => example.includes(`signalbox ${words.join(' ')}`));
        expect(ours).toEqual(examples);
        if (words.length === 1 && 'verbs' in verb) continue;
        const flags = ours.flatMap(
          (example) => example.slice(example.indexOf(`signalbox ${name}`)).match(/ --[a-z-]+/g) ?? [],
        );
        for (const flag of flags) expect(stdout).toContain(`${flag.trim()} `);
      }
    },
    60_000,
  );
});
