import fc from 'fast-check';
import type { SqsIntake } from '../../src/core/case.js';
import { takeMessage } from '../../src/delivery/sqs-intake.js';
import { exceptionRequest } from '../../src/operations/cases/requests.js';
import { hostileText } from './hostile.js';
import { inBatches, type FuzzOptions } from './in-batches.js';
import { bodies } from './mutations.js';
import { valuesOf } from './schema-values.js';

const INTAKE: SqsIntake = {
  queueUrl: 'http://127.0.0.1/queue',
  region: 'us-east-1',
  endpoint: null,
  tenant: 'default',
  principal: 'sam',
  attempts: 3,
  visibility_s: 30,
};

const messages = fc.record({
  id: fc.oneof(fc.uuid(), fc.constant('')),
  body: fc.oneof(
    { weight: 5, arbitrary: bodies(valuesOf(exceptionRequest)) },
    { weight: 1, arbitrary: hostileText },
  ),
  received: fc.oneof(fc.integer({ min: 1, max: 4 }).map(String), fc.constant('nonsense')),
});

/** The handler of queue messages: each is a case on disk, a dead letter, or comes again; never lost, never an error of ours. */
export async function fuzzIntake(options: FuzzOptions): Promise<void> {
  await inBatches(options, messages, async (desk, { id, body, received }) => {
    const before = await desk.record();
    const message = { MessageId: id, Body: body, Attributes: { ApproximateReceiveCount: received } };
    let putAside = false;
    await takeMessage(desk.box.desk, INTAKE, message, () => (putAside = true));
    // The same letter again is the letter that is there.
    if (!putAside && (await desk.record()) === before) throw new Error('taken, and nothing is on disk');
    if (putAside && (await desk.box.as('owner').deadLetters()).total === 0)
      throw new Error('put aside nowhere');
  });
}
