import { present } from '../args.js';
import { clock, table } from '../table.js';
import type { VerbGroup } from '../verb.js';

export const verb: VerbGroup = {
  summary: 'Tokens that principals sign in with',
  examples: ['signalbox token create alice', 'signalbox token list'],
  verbs: {
    create: {
      summary: 'Make a token; it is shown this once and stored hashed',
      founds: true,
      arguments: [['<principal>', 'whose']],
      options: [
        { flags: '--label <text>', says: 'what it is for' },
        { flags: '--expires-at <time>', says: 'RFC 3339, such as 2026-01-01T00:00:00Z' },
      ],
      examples: [
        'signalbox token create alice --label laptop',
        'export SIGNALBOX_TOKEN="$(signalbox token create alice)"',
      ],
      async run(door, args, out) {
        const body = present({
          principal: args.at(0),
          label: args.text('label'),
          expiresAt: args.text('expiresAt'),
        });
        const made = await door.createToken(body, args.call());
        // The token alone, so that a shell can take it as it is.
        out.answer(made, ({ token }) => token);
        if (!out.json) out.note(`token ${made.tokenId} of ${made.principal}; it is not shown again`);
      },
    },
    list: {
      summary: 'List the tokens, without their secrets',
      examples: ['signalbox token list'],
      async run(door, _args, out) {
        out.answer(await door.listTokens(), (tokens) =>
          table(
            ['token', 'principal', 'label', 'created', 'expires', 'revoked'],
            tokens.map((token) => [
              token.tokenId,
              token.principal,
              token.label,
              clock(token.createdAt),
              clock(token.expiresAt),
              clock(token.revokedAt),
            ]),
          ),
        );
      },
    },
    revoke: {
      summary: 'End a token at once',
      arguments: [['<tokenId>', 'which, from the list']],
      examples: ['signalbox token revoke 0198c0de-0000-7000-8000-000000000000'],
      async run(door, args, out) {
        const revoked = await door.revokeToken(args.at(0));
        out.answer(revoked, ({ tokenId, revokedAt }) => `${tokenId} revoked at ${clock(revokedAt) ?? ''}`);
      },
    },
  },
};
