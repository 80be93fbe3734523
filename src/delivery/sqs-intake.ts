import type { Message } from '@aws-sdk/client-sqs';
import type { SqsIntake } from '../core/case.js';
import { sha256 } from '../core/identity.js';
import { Refusal } from '../core/refusals.js';
import { keepLetter } from '../operations/cases/keep-letter.js';
import { recordException } from '../operations/cases/record-exception.js';
import type { Desk } from '../operations/desk.js';

export interface Intake {
  stop(): Promise<void>;
}

/** Said once of a queue that cannot be read, and of every message that is put aside. */
export type Report = (message: string, fields: Readonly<Record<string, unknown>>) => void;

/** Refusals that are not the message's own fault: it goes back to the queue and comes again, however often. */
const PASSING: readonly string[] = ['BUSY', 'RATE_LIMITED', 'UNAUTHENTICATED', 'FORBIDDEN'];

/**
 * Reads exceptions from an Amazon SQS queue. A message is deleted only after its case is on disk; a crash in between
 * brings it again, which is an observation of the same case. What can never be taken goes to the dead letters.
 * @throws Error that says what to install when the optional packages are missing
 */
export async function startSqsIntake(desk: Desk, intake: SqsIntake, report: Report): Promise<Intake> {
  const { SQSClient } = await import('@aws-sdk/client-sqs').catch(missing);
  const { Consumer } = await import('sqs-consumer').catch(missing);
  const client = new SQSClient({
    region: intake.region,
    ...(intake.endpoint === null ? {} : { endpoint: intake.endpoint, useQueueUrlAsEndpoint: false }),
  });
  const consumer = Consumer.create({
    queueUrl: intake.queueUrl,
    sqs: client,
    batchSize: 10,
    visibilityTimeout: intake.visibility_s,
    messageSystemAttributeNames: ['ApproximateReceiveCount'],
    // The consumer deletes what the handler gives back, and only that.
    alwaysAcknowledge: false,
    handleMessage: async (message) => {
      await takeMessage(desk, intake, message, report);
      return message;
    },
  });
  // It goes on after each of these; the message comes again.
  consumer.on('error', (error) => report('the queue cannot be read', { error: error.message }));
  consumer.on('processing_error', (error) => report('a message was not taken', { error: error.message }));
  consumer.start();
  return {
    async stop() {
      const stopped = new Promise<void>((resolve) => {
        consumer.once('stopped', () => resolve());
      });
      consumer.stop({ abort: true });
      await stopped;
      client.destroy();
    },
  };
}

function missing(error: unknown): never {
  throw new Error(
    'reading an SQS queue needs the optional packages @aws-sdk/client-sqs and sqs-consumer: npm install them',
    { cause: error },
  );
}

/** The handler of one message. Returns when it needs not come again; throws when it has to. */
export async function takeMessage(
  desk: Desk,
  intake: SqsIntake,
  message: Message,
  report: Report,
): Promise<void> {
  const who = { tenant: intake.tenant, principal: intake.principal };
  // A queue that does not count, or counts strangely, has delivered it at least this once.
  const attempts = Math.trunc(Number(message.Attributes?.ApproximateReceiveCount)) || 1;
  const text = message.Body ?? '';
  let poison: string;
  try {
    await recordException(desk, who, JSON.parse(text));
    return;
  } catch (error) {
    const passing = error instanceof Refusal && PASSING.includes(error.code);
    // A message that is wrong in itself does not get better by coming again.
    const wrong = error instanceof SyntaxError || (error instanceof Refusal && error.code === 'INVALID');
    if (passing || (!wrong && attempts < intake.attempts)) throw error;
    poison = error instanceof Error ? error.message : String(error);
  }
  await keepLetter(desk, {
    tenant: intake.tenant,
    source: 'intake',
    // Two messages must never share a letter, or one of them would be lost.
    sourceId: message.MessageId || sha256(text),
    reason: poison,
    attempts,
    body: text,
    workId: null,
  });
  report('a message was put aside', { messageId: message.MessageId, reason: poison });
}
