import type { WorkerEvent } from '../../workers/worker-event.js';
import type { ExitCode } from './failures.js';

/** What a worker or reviewer tells, as a line for people. */
export function workerLine(event: WorkerEvent): string {
  switch (event.event) {
    case 'claimed':
      return `${event.workId}: claimed (${event.kind}, round ${event.round})`;
    case 'progress': {
      const { done, total, note } = event.progress;
      const count = done === undefined ? '' : ` ${done}${total === undefined ? '' : `/${total}`}`;
      return `${event.workId}: progress${count}${note === undefined ? '' : ` ${note}`}`;
    }
    case 'submitted':
      return `${event.workId}: submitted, now ${event.status}; artifact ${event.artifactSha256}, log ${event.evidenceRef}`;
    case 'reviewed':
      return `${event.workId}: ${event.verdict}, now ${event.status}; log ${event.evidenceRef}`;
    case 'released':
      return `${event.workId}: given back, now ${event.status}: ${event.reason}; log ${event.evidenceRef}`;
    case 'left':
      return `${event.workId}: no verdict: ${event.reason}; reserved until ${event.until ?? 'it runs out'}`;
    case 'refused':
      return `${event.workId}: ${event.doing} refused, not tried again: ${event.code}: ${event.detail}`;
    case 'unreachable':
      return `the desk cannot be reached just now: ${event.detail}`;
  }
}

/** With --once: 0 when the work was done or there was none, 1 when it failed or was refused. */
export function exitOf(count: { readonly failed: number }, once: boolean): ExitCode {
  return once && count.failed > 0 ? 1 : 0;
}
