import { setTimeout as sleep } from 'node:timers/promises';
import type { EventsOptions } from '../operations/events.js';
import type { EventView } from '../operations/views.js';
import { Unreachable, type HttpCaller } from './http-caller.js';

const RECONNECT_ms = 250;
const RECONNECT_ATTEMPTS = 20;

/**
 * The tenant's events, in order. A connection that breaks is made anew from the last event seen, so nothing is
 * missed and nothing comes twice.
 * @throws Refusal when the token no longer counts; Unreachable after the server stayed away for a while
 */
export async function* followEvents(
  http: HttpCaller,
  query: unknown,
  { signal, onPulse }: EventsOptions = {},
): AsyncGenerator<EventView> {
  let lastId: string | null = null;
  let failures = 0;
  const wanted = (): boolean => !signal?.aborted;
  while (wanted()) {
    try {
      const response = await http.send({
        method: 'GET',
        path: '/events',
        ...(lastId === null ? { query } : { headers: { 'last-event-id': lastId } }),
        ...(signal ? { signal } : {}),
      });
      for await (const block of blocksOf(response)) {
        failures = 0;
        lastId = block.id ?? lastId;
        if (block.data === null) await onPulse?.((_about, ask) => ask());
        else yield JSON.parse(block.data) as EventView;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (!isBroken(error) || (failures += 1) >= RECONNECT_ATTEMPTS) throw error;
    }
    await sleep(RECONNECT_ms, undefined, signal ? { signal } : {}).catch(() => undefined);
  }
}

/** A body that breaks off is told by fetch as a TypeError. */
function isBroken(error: unknown): boolean {
  return error instanceof Unreachable || error instanceof TypeError;
}

interface Block {
  readonly id: string | null;
  readonly data: string | null;
}

/** Server-sent events as the standard parses them, as far as our server writes them. */
async function* blocksOf(response: Response): AsyncGenerator<Block> {
  if (response.body === null) return;
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield parseBlock(block);
  }
}

function parseBlock(block: string): Block {
  let id: string | null = null;
  const data: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('id: ')) id = line.slice(4);
    else if (line.startsWith('data: ')) data.push(line.slice(6));
  }
  return { id, data: data.length === 0 ? null : data.join('\n') };
}
