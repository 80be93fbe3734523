import type { DoorLike } from '../../../client.js';
import { commandTask } from '../../../workers/command-task.js';
import type { Task } from '../../../workers/task.js';
import { runWorker } from '../../../workers/worker.js';
import { UsageError } from '../failures.js';
import type { Args } from '../args.js';
import { mediaTypeOf } from '../read-source.js';
import { exitOf } from '../tell-worker.js';
import type { DoorVerb } from '../verb.js';
import { WORKER_OPTIONS, workerSettings } from '../worker-options.js';

export const verb: DoorVerb = {
  summary: 'Do works with a command or a chat model: claim, run, renew, submit',
  options: [
    { flags: '--exec <command>', says: 'run by sh for each work; writes its result to $SIGNALBOX_OUTPUT' },
    { flags: '--model-module <path>', says: 'a module that exports a chat model of @langchain/core' },
    { flags: '--media-type <type>', says: "what the result is; by default from the file's name or content" },
    ...WORKER_OPTIONS,
  ],
  examples: [
    `signalbox worker --exec 'jq "{sum: add}" "$SIGNALBOX_INPUT" > "$SIGNALBOX_OUTPUT.json"' --once`,
    'signalbox worker --kind invoice-check --model-module ./my-model.mjs --concurrency 4',
  ],
  async run(door, args, out) {
    const { shared, command } = workerSettings(args, out);
    const task = await taskOf(door, args, command);
    return exitOf(await runWorker({ door, task, ...shared }), shared.once);
  },
};

async function taskOf(door: DoorLike, args: Args, where: { readonly cwd?: string }): Promise<Task> {
  const command = args.text('exec');
  const module = args.text('modelModule');
  const mediaType = args.text('mediaType');
  const type = mediaType === undefined ? {} : { mediaType };
  if ((command === undefined) === (module === undefined))
    throw new UsageError('give either --exec or --model-module');
  if (command !== undefined) return commandTask({ command, mediaTypeOf, ...where, ...type });
  const [{ loadModel }, { modelTask }] = await Promise.all([
    import('../../../workers/load-model.js'),
    import('../../../workers/model-task.js'),
  ]);
  return modelTask({ model: await loadModel(module ?? ''), kinds: await door.kinds(), ...type });
}
