import { openSignalbox } from '../../src/index.js';

/** A desk in a process of its own that reads a queue, until it is killed. */
const { DATA_DIR = '', QUEUE_URL = '', ENDPOINT = '' } = process.env;

const box = await openSignalbox({
  dataDir: DATA_DIR,
  cases: {
    sqs: [{ queueUrl: QUEUE_URL, endpoint: ENDPOINT, principal: 'queue', attempts: 3, visibility_s: 1 }],
  },
});
await box.startDuties((message, fields) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`));
process.stdout.write('reading\n');
