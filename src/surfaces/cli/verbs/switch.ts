import { clock, table } from '../table.js';
import type { DoorVerb, VerbGroup } from '../verb.js';

const turn = (paused: boolean, summary: string): DoorVerb => ({
  summary,
  arguments: [['<what>', 'what comes in, or what is handed out automatically', ['intake', 'claims']]],
  options: [{ flags: '--reason <text>', says: 'why; goes on record', needed: true }],
  examples: [`signalbox switch ${paused ? 'pause' : 'resume'} intake --reason "stock-taking"`],
  async run(door, args, out) {
    const turned = await door.setSwitch(
      { switch: args.at(0), paused, reason: args.text('reason') },
      args.call(),
    );
    out.answer(
      turned,
      (now) => `${now.switch} ${now.paused ? 'paused' : 'runs'} since ${clock(now.at) ?? ''}`,
    );
  },
});

export const verb: VerbGroup = {
  summary: 'Pause intake or automatic claiming',
  examples: ['signalbox switch show', 'signalbox switch pause intake --reason "stock-taking"'],
  verbs: {
    pause: turn(true, 'Stop taking new work in, or handing it out automatically'),
    resume: turn(false, 'Go on'),
    show: {
      summary: 'How the switches stand, and who turned them',
      examples: ['signalbox switch show'],
      async run(door, _args, out) {
        out.answer(await door.switches(), ({ intakePaused, claimsPaused, turns }) => {
          const rows = turns.map(({ switch: name, paused, by, at, reason }) => [
            name,
            paused ? 'paused' : 'runs',
            by,
            clock(at),
            reason,
          ]);
          const now = `intake ${intakePaused ? 'paused' : 'runs'}, claims ${claimsPaused ? 'paused' : 'run'}`;
          const turned = table(['what', 'state', 'by', 'since', 'why'], rows);
          return rows.length === 0 ? `${now}; nobody has turned a switch yet` : `${now}\n${turned}`;
        });
      },
    },
  },
};
