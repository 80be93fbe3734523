import { present } from '../args.js';
import { clock, table } from '../table.js';
import type { VerbGroup } from '../verb.js';

const ROLES = ['viewer', 'scout', 'worker', 'reviewer', 'operator', 'owner'] as const;

type Row = { name: string; actor: string; roles: string[]; createdAt: string; disabledAt: string | null };

const rows = (principals: readonly Row[]): string =>
  table(
    ['name', 'actor', 'roles', 'created', 'disabled'],
    principals.map((each) => [
      each.name,
      each.actor,
      each.roles.join(' '),
      clock(each.createdAt),
      clock(each.disabledAt),
    ]),
  );

export const verb: VerbGroup = {
  summary: 'Who may do what',
  examples: ['signalbox principal add alice --role worker', 'signalbox principal list'],
  verbs: {
    add: {
      summary: 'Add a principal, or change its roles',
      founds: true,
      arguments: [['<name>', 'its name']],
      options: [
        { flags: '--role <role>', says: 'what it may do', choices: ROLES, repeats: true, needed: true },
        { flags: '--actor <name>', says: 'who answers for it (itself); nobody judges what their actor made' },
        { flags: '--tenant <name>', says: 'found this tenant, with this owner' },
      ],
      examples: [
        'signalbox principal add alice --role worker --role reviewer',
        'signalbox principal add build-bot --role worker --actor alice',
      ],
      async run(door, args, out) {
        const body = present({
          name: args.at(0),
          roles: args.list('role'),
          actor: args.text('actor'),
          tenant: args.text('tenant'),
        });
        out.answer(await door.putPrincipal(body), (principal) =>
          'token' in principal
            ? `${rows([principal])}\nits first token, shown once: ${principal.token}`
            : rows([principal]),
        );
      },
    },
    list: {
      summary: 'List the principals',
      examples: ['signalbox principal list'],
      async run(door, _args, out) {
        out.answer(await door.listPrincipals(), rows);
      },
    },
    disable: {
      summary: 'Take all rights of a principal, at once; its name stays in history',
      arguments: [['<name>', 'its name']],
      examples: ['signalbox principal disable alice'],
      async run(door, args, out) {
        const disabled = await door.disablePrincipal(args.at(0));
        out.answer(disabled, ({ name, disabledAt }) => `${name} disabled at ${clock(disabledAt) ?? ''}`);
      },
    },
  },
};
