import { RequestError, getRequestListener } from '@hono/node-server';
import { createServer, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { LIMITS } from '../../core/limits.js';
import { errorFields, type ServerLog } from './log.js';
import { PROBLEM_TYPE, internalProblem, problemResponse, type Problem } from './problem.js';

/**
 * A server for a fetch handler that tells errors in the shape of the contract even where no handler was reached: a
 * request line without a URL, bytes that are no HTTP, headers that are too long.
 */
export function createProblemServer(fetch: Parameters<typeof getRequestListener>[0], log: ServerLog): Server {
  const listener = getRequestListener(fetch, {
    overrideGlobalObjects: false,
    errorHandler(error) {
      if (error instanceof RequestError) return problemResponse(malformed(400, 'INVALID', error.message));
      log.error('an answer could not be given', errorFields(error));
      return problemResponse(internalProblem('unknown'));
    },
  });
  const server = createServer({ requestTimeout: LIMITS.requestBody_ms }, (request, response) => {
    // The listener answers its own failures.
    listener(request, response).catch((error: unknown) =>
      log.error('an answer broke off', errorFields(error)),
    );
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => answerBytes(error, socket));
  return server;
}

function malformed(status: number, code: 'INVALID' | 'TOO_LARGE', detail: string): Problem {
  return {
    type: `urn:signalbox:problem:${code}`,
    title: 'This is no request',
    status,
    detail,
    code,
    next: 'See /openapi.json for what each path takes.',
  };
}

/** Node has given up on the connection: what is written here is all that the caller will read. */
function answerBytes(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [line, problem] = answerTo(error.code);
  const body = JSON.stringify(problem);
  socket.end(
    `HTTP/1.1 ${line}\r\nContent-Type: ${PROBLEM_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Cache-Control: no-store\r\nConnection: close\r\n\r\n${body}`,
  );
}

function answerTo(code: string | undefined): [line: string, problem: Problem] {
  switch (code ?? '') {
    case 'HPE_HEADER_OVERFLOW':
      return ['431 Request Header Fields Too Large', malformed(431, 'TOO_LARGE', 'the headers are too long')];
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return ['408 Request Timeout', malformed(408, 'INVALID', 'the request did not arrive in time')];
    default:
      return ['400 Bad Request', malformed(400, 'INVALID', 'this is not HTTP')];
  }
}
