import type { AloneVerb } from '../verb.js';

export const verb: AloneVerb = {
  summary: "Bring the database to this program's schema; every start does so too",
  examples: ['signalbox migrate'],
  async runAlone(reach, _args, out) {
    const box = await reach.open({ recover: false });
    const backEnd = box.desk.store.dialect.name;
    await box.close();
    out.answer({ backEnd, migrated: true }, () => `${backEnd}: the schema is this program's`);
  },
};
