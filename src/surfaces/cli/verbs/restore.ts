import type { AloneVerb } from '../verb.js';

export const verb: AloneVerb = {
  summary: 'Bring a backup into an empty desk, before a server runs on it',
  arguments: [['<file>', 'what "signalbox backup" wrote']],
  examples: ['signalbox restore desk.jsonl.gz --data ./restored'],
  async runAlone(reach, args, out) {
    const { readArchive } = await import('../archive-file.js');
    await readArchive(reach, args, out);
  },
};
