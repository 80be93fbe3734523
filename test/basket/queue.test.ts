import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as forward, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { startFauxqs, type FauxqsServer } from 'fauxqs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deskWithPeople, exception, type TestDesk } from './desk.js';

// A real SQS server, its own client, and a desk in a process that is really killed.
const KEYS = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_REGION: 'us-east-1' };
const TIME_ms = 60_000;

let sqs: FauxqsServer;
let client: SQSClient;
let desk: TestDesk;
let gate: Gate;
let queueUrl: string;
let child: ChildProcess | null = null;

interface Gate {
  readonly url: string;
  /** Asked of every request by its action; false lets it not through. */
  lets: (action: string) => boolean;
  close(): void;
}

/** Stands between the desk and the queue, so that a test can stop the world at one kind of request. */
async function gateTo(port: number): Promise<Gate> {
  const server: Server = createServer((incoming, response) => {
    const action = String(incoming.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
    if (!made.lets(action)) return response.destroy();
    const options = {
      port,
      host: '127.0.0.1',
      method: incoming.method,
      path: incoming.url,
      headers: incoming.headers,
    };
    const outgoing = forward(options, (answer: IncomingMessage) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    return incoming.pipe(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const made: Gate = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lets: () => true,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return made;
}

beforeEach(async () => {
  sqs = await startFauxqs({ port: 0, logger: false });
  client = new SQSClient({
    region: 'us-east-1',
    endpoint: sqs.address,
    useQueueUrlAsEndpoint: false,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  gate = await gateTo(sqs.port);
  queueUrl = sqs.createQueue('exceptions').queueUrl;
  desk = await deskWithPeople();
  await desk.box.as('owner').putPrincipal({ name: 'queue', roles: ['scout'] });
});

afterEach(async () => {
  await kill();
  gate.close();
  client.destroy();
  await sqs.stop();
  await desk.close();
});

async function kill(): Promise<void> {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

function startIntake(): void {
  child = spawn(
    process.execPath,
    ['--import', 'tsx', fileURLToPath(new URL('intake-process.ts', import.meta.url))],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        ...KEYS,
        DATA_DIR: desk.dataDir,
        ...(desk.databaseUrl === undefined ? {} : { SIGNALBOX_DATABASE_URL: desk.databaseUrl }),
        QUEUE_URL: queueUrl,
        ENDPOINT: gate.url,
      },
    },
  );
}

const send = (body: string) => client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body }));

const left = () => {
  const { ready, inflight, delayed } = sqs.inspectQueue('exceptions')?.messages ?? {
    ready: [],
    inflight: [],
    delayed: [],
  };
  return ready.length + inflight.length + delayed.length;
};

const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: TIME_ms, interval: 100 });

describe('a queue of exceptions', () => {
  it(
    'loses nothing when the desk is killed between saving a case and acknowledging its message',
    { timeout: 2 * TIME_ms },
    async () => {
      let stopped = 0;
      gate.lets = (action) => {
        if (!action.startsWith('DeleteMessage')) return true;
        stopped += 1;
        child?.kill('SIGKILL');
        return false;
      };
      await send(JSON.stringify(exception('e-1')));
      startIntake();
      await until(async () => {
        expect(stopped).toBe(1);
        await Promise.resolve();
      });
      expect(left(), 'the message was not acknowledged').toBe(1);
      expect(await desk.box.as('op').showCase('e-1')).toMatchObject({ observations: 1 });

      gate.lets = () => true;
      startIntake();
      await until(async () => {
        expect(left()).toBe(0);
        await Promise.resolve();
      });
      const shown = await desk.box.as('op').showCase('e-1');
      expect(shown.observations, 'it came again and was recognised').toBe(2);
      expect((await desk.box.as('op').list({})).total).toBe(1);
    },
  );

  it(
    'puts aside what can never be taken, keeps reading, and takes it once it is corrected',
    { timeout: 2 * TIME_ms },
    async () => {
      await send('this is no JSON');
      await send(JSON.stringify({ ...exception('e-2'), occurredAt: 'yesterday' }));
      await send(JSON.stringify(exception('e-3')));
      startIntake();
      const op = desk.box.as('op');
      await until(async () => {
        expect((await op.list({})).total).toBe(1);
        expect((await op.deadLetters()).total).toBe(2);
        expect(left()).toBe(0);
      });
      const letters = (await op.deadLetters()).items;
      expect(letters.map(({ source, owner, attempts }) => ({ source, owner, attempts }))).toEqual([
        { source: 'intake', owner: 'owner', attempts: 1 },
        { source: 'intake', owner: 'owner', attempts: 1 },
      ]);
      const [wrongDate] = letters.filter(({ reason }) => reason.includes('occurredAt'));
      const id = wrongDate?.deadLetterId ?? '';
      await expect(op.redrive(id, { reason: 'again' })).rejects.toMatchObject({ code: 'INVALID' });
      const redriven = await op.redrive(id, { reason: 'date corrected', body: exception('e-2') });
      expect(redriven).toMatchObject({ deadLetter: { state: 'redriven' }, case: { exceptionId: 'e-2' } });
      await expect(op.redrive(id, { reason: 'again' })).rejects.toMatchObject({ code: 'ALREADY_DECIDED' });
      expect((await op.deadLetters()).total).toBe(1);
    },
  );

  it(
    'gives a message back while intake is paused, and takes it afterwards',
    { timeout: 2 * TIME_ms },
    async () => {
      const op = desk.box.as('op');
      await op.setSwitch({ switch: 'intake', paused: true, reason: 'stock-taking' });
      let received = 0;
      gate.lets = (action) => {
        received += Number(action === 'ReceiveMessage');
        return true;
      };
      await send(JSON.stringify(exception('e-4')));
      startIntake();
      await until(async () => {
        expect(received).toBeGreaterThan(3);
        await Promise.resolve();
      });
      expect(left()).toBe(1);
      expect((await op.deadLetters()).total).toBe(0);
      await op.setSwitch({ switch: 'intake', paused: false, reason: 'done' });
      await until(async () => {
        expect((await op.list({})).total).toBe(1);
        expect(left()).toBe(0);
      });
    },
  );
});
