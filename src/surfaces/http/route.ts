import type { z } from 'zod';
import type { CallOptions } from '../../operations/answer-wait.js';
import type { Desk } from '../../operations/desk.js';
import type { Once } from '../../operations/event-feed.js';
import type { Door, doorFor } from '../../operations/door.js';

/** Who a token stands for. */
export type Who = Parameters<typeof doorFor>[1];

/** One request to a route, authenticated, its JSON read and its query as strings. */
export interface Call {
  readonly desk: Desk;
  readonly who: Who;
  /** The caller's verbs. */
  readonly door: Door;
  /** A value of the path; '' where the path has none of that name. */
  readonly param: (name: string) => string;
  readonly query: Readonly<Record<string, string | string[]>>;
  /** What the body's JSON says; undefined for an empty body and for routes that read it themselves. */
  readonly body: unknown;
  readonly options: CallOptions;
  readonly request: Request;
  /** Aborted when the caller goes away or the server stops: long answers end then. */
  readonly signal: AbortSignal;
  /** Checks the token again, for answers that go on for hours. @throws Refusal UNAUTHENTICATED */
  readonly stillAllowed: (once: Once) => Promise<void>;
  /** Writes an error that can no longer become the answer to the log. */
  readonly report: (error: unknown) => void;
}

/** What a handler gives: JSON with a status, or a whole response where the body is no JSON. */
export type Answer = Response | { readonly status: number; readonly body: unknown };

/** A row of the route table: everything that routing, the OpenAPI document and the authorization test need. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** As in OpenAPI: `/v1/works/{workId}/claim`. */
  readonly path: string;
  /** The operationId: the door's verb, where there is one. */
  readonly operation: string;
  readonly summary: string;
  /** Who may, in words. The operation itself asks for it; here it is only told. */
  readonly roles: string;
  /** A zod schema for JSON; otherwise what the raw body is. Left out, the route takes none. */
  readonly body?: z.ZodType | 'bytes' | 'ndjson';
  readonly query?: z.ZodObject;
  /** Status and shape of its success; text says what an answer without JSON is. */
  readonly answers: Readonly<Record<number, z.ZodType | string>>;
  readonly handle: (call: Call) => Answer | Promise<Answer>;
}

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const created = (body: unknown): Answer => ({ status: 201, body });
