import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** How the origin takes the next delivery: as it should, with a status, or by breaking off after it has acted. */
export type Mood = 'takes' | 'takes and breaks off' | number;

export interface OriginServer {
  readonly url: string;
  mood: Mood;
  /** Whether it knows a decision when asked for it. */
  answersQuestions: boolean;
  /** IDs of the deliveries that arrived with a good signature, in order. */
  readonly arrived: string[];
  /** What it ordered: once for every decision it had not seen. */
  readonly orders: string[];
  readonly questions: string[];
  close(): Promise<void>;
}

/** A real web server that acts on decisions: it places an order, once for every decision ID. */
export async function originServer(secret: string): Promise<OriginServer> {
  const webhook = new Webhook(secret);
  const server = createServer((request, response) => {
    const id = /^\/asked\/(.+)$/.exec(request.url ?? '')?.[1];
    if (id !== undefined) {
      origin.questions.push(id);
      const status = !origin.answersQuestions ? 500 : origin.orders.includes(id) ? 200 : 404;
      response.writeHead(status).end();
      return;
    }
    const answer = (body: string): void => {
      const headers = request.headers as Record<string, string>;
      const { decisionId } = webhook.verify(body, headers) as { decisionId: string };
      origin.arrived.push(headers['webhook-id'] ?? '');
      if (typeof origin.mood === 'number') {
        response.writeHead(origin.mood).end();
        return;
      }
      if (!origin.orders.includes(decisionId)) origin.orders.push(decisionId);
      if (origin.mood === 'takes and breaks off') response.destroy();
      else response.writeHead(204).end();
    };
    bodyOf(request)
      .then(answer)
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const origin: OriginServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mood: 'takes',
    answersQuestions: true,
    arrived: [],
    orders: [],
    questions: [],
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return origin;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += String(part);
  return text;
}
