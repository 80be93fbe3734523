import { v6 } from 'uuid';

let last_ms = 0;
let within = 0;

/**
 * An ID as LangGraph's own `uuid6` makes it: later ones sort after earlier ones of this process, also within a
 * millisecond. Made here because LangGraph's module of savers takes longer to load than a short command may.
 */
export function checkpointId(step: number): string {
  let msecs = Date.now();
  within = msecs <= last_ms ? within + 1 : 0;
  if (within >= 10_000) {
    within = 0;
    msecs = last_ms + 1;
  }
  last_ms = msecs;
  return v6({ clockseq: step, msecs, nsecs: within });
}
