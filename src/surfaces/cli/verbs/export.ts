import type { AloneVerb } from '../verb.js';

export const verb: AloneVerb = {
  summary: 'Write the desk into an archive that any back end can read',
  arguments: [['<file>', 'the file to write; compressed when its name ends in .gz']],
  options: [{ flags: '--tenant <name>', says: 'only this tenant; left out, every one' }],
  examples: ['signalbox export desk.jsonl.gz'],
  async runAlone(reach, args, out) {
    const { writeArchive } = await import('../archive-file.js');
    await writeArchive(reach, args, out);
  },
};
