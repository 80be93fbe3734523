import type { AloneVerb } from '../verb.js';

export const verb: AloneVerb = {
  summary: 'Bring an archive into an empty desk: SQLite to PostgreSQL, or back',
  arguments: [['<file>', 'what "signalbox export" wrote']],
  examples: ['SIGNALBOX_DATABASE_URL=postgres://… signalbox import-archive desk.jsonl.gz'],
  async runAlone(reach, args, out) {
    const { readArchive } = await import('../archive-file.js');
    await readArchive(reach, args, out);
  },
};
