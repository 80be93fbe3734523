/** What a request to the dev server would do to a thread. */
export type Asked =
  | { readonly does: 'nothing' }
  | { readonly does: 'run'; readonly threadId: string; readonly payload: unknown }
  | { readonly does: 'delete'; readonly threadId: string }
  /** Never right where works are: the detail says why. */
  | { readonly does: 'forbidden'; readonly detail: string };

const NOTHING: Asked = { does: 'nothing' };
const READS = /^\/threads\/(?:search|count|[^/]+\/(?:history|state\/checkpoint|stream\/events))$/;
const RUNS = /^\/threads\/([^/]+)\/runs(?:\/(?:wait|stream))?$/;
const COMMANDS = /^\/threads\/([^/]+)\/commands$/;
const THREAD = /^\/threads\/([^/]+)$/;

const forbidden = (detail: string): Asked => ({ does: 'forbidden', detail });

/** Reads a request by method, path and body. What writes to threads and is not known here is forbidden. */
export function readRequest(method: string, path: string, body: unknown): Asked {
  if (!path.startsWith('/threads') || method === 'GET' || method === 'HEAD' || method === 'OPTIONS')
    return NOTHING;
  if (method === 'POST' && READS.test(path)) return NOTHING;
  if (method === 'POST' && path === '/threads') {
    return Array.isArray((body as { supersteps?: unknown } | null)?.supersteps)
      ? forbidden('a thread begins with a request, not with states that somebody wrote')
      : NOTHING;
  }
  const [, runsOf] = RUNS.exec(path) ?? [];
  if (method === 'POST' && runsOf !== undefined) return { does: 'run', threadId: runsOf, payload: body };
  const [, commandsOf] = COMMANDS.exec(path) ?? [];
  if (method === 'POST' && commandsOf !== undefined) return readCommand(commandsOf, body);
  const [, thread] = THREAD.exec(path) ?? [];
  if (method === 'DELETE' && thread !== undefined) return { does: 'delete', threadId: thread };
  if (method === 'PATCH' && thread !== undefined) return NOTHING;
  if (/^\/threads\/[^/]+\/runs\/[^/]+(?:\/cancel)?$/.test(path)) return NOTHING;
  if (/^\/threads\/[^/]+\/state$/.test(path))
    return forbidden('updateState would move the work without an answer and kill its wait');
  if (/^\/threads\/[^/]+\/copy$/.test(path))
    return forbidden('a work has one thread; a copy would be a second one');
  return forbidden(`${method} ${path} is not known to leave works alone`);
}

/** The thread protocol's commands: `run.start` and `input.respond` create runs, the others only look. */
function readCommand(threadId: string, body: unknown): Asked {
  const { method, params = {} } = (body ?? {}) as { method?: unknown; params?: Record<string, unknown> };
  if (method === 'input.respond') {
    const { responses, interrupt_id: id, response, ...rest } = params;
    const given = (Array.isArray(responses) ? responses : [{ interrupt_id: id, response }]) as {
      interrupt_id?: string;
      response?: unknown;
    }[];
    const resume = Object.fromEntries(given.map((each) => [each.interrupt_id ?? '', each.response]));
    return { does: 'run', threadId, payload: { ...rest, command: { ...pick(rest), resume } } };
  }
  // The server turns this method's input into a resume where something waits, and so it is read.
  if (method === 'run.start') return { does: 'run', threadId, payload: { ...params, startsOrResumes: true } };
  return NOTHING;
}

function pick({ update, goto }: Record<string, unknown>): Record<string, unknown> {
  return { ...(update === undefined ? {} : { update }), ...(goto === undefined ? {} : { goto }) };
}
