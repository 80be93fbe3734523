import { present } from '../args.js';
import { UsageError } from '../failures.js';
import { clock } from '../table.js';
import type { AloneVerb } from '../verb.js';

export const verb: AloneVerb = {
  summary: 'Make a link that signs a browser in, once',
  asDoor: true,
  arguments: [['[principal]', 'whom; by default yourself']],
  examples: ['signalbox sign-in', 'signalbox sign-in alice'],
  async runAlone(reach, args, out) {
    const server = await reach.server();
    if (server === null)
      throw new UsageError(`no server runs on ${reach.dataFolder}; a link needs one: "signalbox start"`);
    const { door, close } = await reach.door();
    try {
      const link = await door.createSignInLink(present({ principal: args.maybe(0) }), args.call());
      const answer = {
        url: new URL(link.path, server.url).href,
        principal: link.principal,
        expiresAt: link.expiresAt,
      };
      out.answer(answer, ({ url }) => url);
      if (!out.json) out.note(`signs ${link.principal} in, once, until ${clock(link.expiresAt) ?? ''}`);
    } finally {
      await close();
    }
  },
};
