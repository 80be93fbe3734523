import { present } from '../args.js';
import { untilStopped } from '../until-stopped.js';
import type { AloneVerb } from '../verb.js';

export const verb: AloneVerb = {
  summary: 'Serve the desk: cockpit, HTTP API, MCP, LangGraph API',
  options: [
    { flags: '--port <number>', says: 'the port; 0 takes any free one (SIGNALBOX_PORT; 4114)' },
    { flags: '--host <address>', says: 'the address to listen on (SIGNALBOX_HOST; 127.0.0.1)' },
    {
      flags: '--prune-days <days>',
      says: 'once a day, prune threads that ended that long ago (SIGNALBOX_PRUNE_DAYS; never)',
    },
    { flags: '--config <path>', says: 'the file of kinds (SIGNALBOX_CONFIG)' },
  ],
  examples: ['signalbox start', 'signalbox start --port 0 --data ./desk'],
  async runAlone(reach, args, out) {
    const stopped = untilStopped();
    const box = await reach.open(
      present({
        port: args.number('port'),
        host: args.text('host'),
        config: args.text('config'),
        pruneDays: args.number('prune-days'),
      }),
    );
    const server = await reach.programs.serve(box).catch(async (error: unknown) => {
      await box.close();
      throw error;
    });
    const { url, signInUrl, announced } = server;
    out.answer({ url, signInUrl, dataFolder: reach.dataFolder, pid: process.pid, announced }, () =>
      [
        `Signalbox serves at ${url}, data in ${reach.dataFolder}`,
        signInUrl === null
          ? 'Sign a browser in: signalbox sign-in'
          : `Sign in, once, as owner: ${signInUrl}\nThe owner's token is in ${reach.dataFolder}/owner.token`,
        ...(announced
          ? []
          : [
              `Another server of this folder is the one the command line uses; name this one with --url ${url}`,
            ]),
      ].join('\n'),
    );
    const signal = await stopped;
    if (!out.json) out.note(`${signal}: finishing what is under way`);
    await server.close();
  },
};
