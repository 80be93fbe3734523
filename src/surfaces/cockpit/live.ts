import { eventsPosition } from '../../operations/events.js';
import { LIMITS } from '../../core/limits.js';
import { signedIn } from './screens.js';
import type { Screens } from './screens.js';

/**
 * The tenant's changes as a signal, nothing of their content: which work, and where in the record. Pages ask again
 * for what they show, with the rights of that moment. `?after=` catches up; the session is checked at every pulse.
 */
export function liveScreens(screens: Screens, closing: AbortSignal): void {
  screens.get('/live', async ({ desk, door, session, request, query }) => {
    const given = request.headers.get('last-event-id') ?? query.get('after') ?? '';
    const after = /^\d{1,15}$/.test(given) ? Number(given) : await eventsPosition(desk, session.who);
    const gone = new AbortController();
    const signal = AbortSignal.any([request.signal, gone.signal, closing]);
    const encoder = new TextEncoder();
    const stream = new ReadableStream<Uint8Array>({
      async start(controller) {
        const send = (text: string): void => {
          if (!signal.aborted) controller.enqueue(encoder.encode(text));
        };
        send(`retry: ${LIMITS.eventsPoll_ms * 5}\nid: ${after}\nevent: here\ndata: ${after}\n\n`);
        const onPulse = async (): Promise<void> => {
          await signedIn(desk, request);
          // An event, not a comment: the page must notice when these stop coming.
          send('event: pulse\ndata:\n\n');
        };
        try {
          for await (const event of door.events({ after }, { signal, onPulse })) {
            // JSON has no raw line ends, so a work's ID cannot end the event and begin one of its own.
            send(
              `id: ${event.position}\nevent: change\ndata: ${JSON.stringify({ workId: event.workId })}\n\n`,
            );
          }
        } catch {
          // The session ended or the desk closed: the browser asks again and is told then.
        }
        if (!gone.signal.aborted) controller.close();
      },
      cancel() {
        gone.abort();
      },
    });
    return new Response(stream, {
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      },
    });
  });
}
