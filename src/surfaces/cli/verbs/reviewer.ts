import { commandJudge } from '../../../workers/command-task.js';
import { runReviewer } from '../../../workers/reviewer.js';
import { exitOf } from '../tell-worker.js';
import type { DoorVerb } from '../verb.js';
import { WORKER_OPTIONS, workerSettings } from '../worker-options.js';

export const verb: DoorVerb = {
  summary: 'Judge results with a command: exit 0 PASS, 1 REWORK with stdout as findings, 2 ESCALATE',
  options: [
    {
      flags: '--exec <command>',
      says: 'run by sh for each result; reads $SIGNALBOX_ARTIFACT and $SIGNALBOX_INPUT',
      needed: true,
    },
    ...WORKER_OPTIONS,
  ],
  examples: [
    `signalbox reviewer --exec 'grep -q total "$SIGNALBOX_ARTIFACT" || { echo "no total"; exit 1; }'`,
  ],
  async run(door, args, out) {
    const { shared, command } = workerSettings(args, out);
    const judge = commandJudge({ command: args.text('exec') ?? '', ...command });
    return exitOf(await runReviewer({ door, judge, ...shared }), shared.once);
  },
};
