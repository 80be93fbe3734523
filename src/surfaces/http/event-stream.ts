import type { Once } from '../../operations/event-feed.js';
import { eventsPosition } from '../../operations/events.js';
import type { EventView } from '../../operations/views.js';
import { LIMITS } from '../../core/limits.js';
import { invalid } from '../../core/refusals.js';
import type { Call } from './route.js';

/**
 * The tenant's history as server-sent events; every event's `id` is its position. Begins after `Last-Event-ID` (or
 * `?after=`), else with what comes now, and says at once where that is, so that a caller cut off before its first
 * event resumes without a gap too.
 */
export async function eventStream(call: Call): Promise<Response> {
  const given = call.request.headers.get('last-event-id') ?? call.query['after'];
  const after = given === undefined ? await eventsPosition(call.desk, call.who) : positionFrom(given);
  const { signal } = call;
  let gone = false;
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>({
    async start(controller) {
      const send = (text: string): void => controller.enqueue(encoder.encode(text));
      send(`retry: ${LIMITS.eventsPoll_ms}\nid: ${after}\n\n`);
      try {
        const onPulse = async (once: Once): Promise<void> => {
          await call.stillAllowed(once);
          send(': still here\n\n');
          await drained(controller, signal);
        };
        for await (const event of call.door.events({ after }, { signal, onPulse })) {
          send(`id: ${event.position}\ndata: ${textOf(event)}\n\n`);
        }
      } catch (error) {
        if (!signal.aborted) call.report(error);
      }
      if (!gone) controller.close();
    },
    cancel() {
      gone = true;
    },
  });
  return new Response(stream, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Proxies that buffer would hold events back.
      'x-accel-buffering': 'no',
    },
  });
}

/** Written out once for all streams that tell the event. */
function textOf(event: EventView): string {
  const text = texts.get(event) ?? JSON.stringify(event);
  texts.set(event, text);
  return text;
}
const texts = new WeakMap<EventView, string>();

/** A slow reader holds the stream back instead of filling our memory. */
async function drained(controller: ReadableStreamDefaultController, signal: AbortSignal): Promise<void> {
  while ((controller.desiredSize ?? 0) < -LIMITS.eventsBatch && !signal.aborted) {
    await new Promise((resolve) => {
      setTimeout(resolve, LIMITS.eventsPoll_ms);
    });
  }
}

function positionFrom(given: string | string[]): number {
  const position = Number(given);
  if (!Number.isSafeInteger(position) || position < 0 || given === '') {
    throw invalid('/Last-Event-ID', 'must be the id of an event of this stream, or 0 for all');
  }
  return position;
}
