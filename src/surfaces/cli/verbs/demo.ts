import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { enlist } from '../demo/cast.js';
import { arrive, correction, gate, race, rework, silence } from '../demo/scenes.js';
import { Story } from '../demo/story.js';
import { UsageError } from '../failures.js';
import { table } from '../table.js';
import type { AloneVerb } from '../verb.js';

export const verb: AloneVerb = {
  summary: 'A guided run on sample invoices, on a folder of its own or on --data',
  examples: ['signalbox demo', 'signalbox demo --data ./demo', 'signalbox demo --json'],
  async runAlone(reach, args, out) {
    const given = args.global.data;
    const dataDir = given === undefined ? await mkdtemp(join(tmpdir(), 'signalbox-demo-')) : resolve(given);
    const [paper, hosting, cleaning, freight, corrected, credit] = await reach.programs.sampleInvoices();
    if (!paper || !hosting || !cleaning || !freight || !corrected || !credit)
      throw new Error('the sample invoices are not where they belong');
    const box = await reach.open({ dataDir });
    try {
      const owner = box.as('owner');
      const kind = box.desk.kinds.get('invoice-check');
      if (!kind)
        throw new UsageError('the demo needs the kind invoice-check, which this configuration lacks');
      if ((await owner.list({ kind: 'invoice-check' })).total > 0)
        throw new UsageError(`${dataDir} has invoices already; the demo wants a folder without any`);
      const story = new Story(out);
      const stage = { box, story };
      story.say(`Signalbox on sample invoices, data in ${dataDir}`);
      await enlist(owner);
      const [paperId = '', , cleaningId = '', freightId = ''] = await arrive(stage, [
        paper,
        hosting,
        cleaning,
        freight,
        credit,
      ]);
      const raced = await race(
        stage,
        (kinds) => reach.open({ dataDir, kinds, recover: false }),
        kind,
        paperId,
      );
      await silence(stage, raced);
      await correction(stage, freightId, corrected);
      await rework(stage, cleaningId);
      await gate(stage, paperId);
      const { items: works } = await owner.list();
      const { clean } = await owner.verify();
      story.say(
        `\n${table(
          ['work', 'status', 'round', 'version', 'invoice'],
          works.map((work) => [work.workId, work.status, work.round, work.inputVersion, work.title]),
        )}`,
      );
      story.say(`\nHistory, works, threads, receipts and artifacts agree: ${clean ? 'yes' : 'NO'}\n`);
      const look = [
        `npm start -- --data ${dataDir}`,
        `npx signalbox receipts ${paperId} --data ${dataDir}`,
        `npx signalbox history ${freightId} --data ${dataDir}`,
        `npx signalbox show ${paperId} --data ${dataDir}`,
      ];
      story.say(
        `Look further; the payment waits for you at the owner gate:\n${look.map((each) => `  ${each}`).join('\n')}`,
      );
      if (out.json) out.answer({ dataFolder: dataDir, events: story.events, works, clean, look }, String);
      return clean ? 0 : 1;
    } finally {
      await box.close();
    }
  },
};
