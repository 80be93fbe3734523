import type { Progress } from './task.js';

/** What a worker or reviewer tells whoever runs it, as it happens. */
export type WorkerEvent =
  | { readonly event: 'claimed'; readonly workId: string; readonly kind: string; readonly round: number }
  | { readonly event: 'progress'; readonly workId: string; readonly progress: Progress }
  | {
      readonly event: 'submitted';
      readonly workId: string;
      readonly status: string;
      readonly receiptId: string;
      readonly artifactSha256: string;
      readonly evidenceRef: string;
    }
  | {
      readonly event: 'reviewed';
      readonly workId: string;
      readonly verdict: string;
      readonly status: string;
      readonly receiptId: string;
      readonly evidenceRef: string;
    }
  | {
      readonly event: 'released';
      readonly workId: string;
      readonly reason: string;
      readonly status: string;
      readonly evidenceRef: string;
    }
  /** A judgement that was not made: its reservation runs out by itself. */
  | {
      readonly event: 'left';
      readonly workId: string;
      readonly reason: string;
      readonly until: string | null;
    }
  /** The desk turned something away: the work was lost meanwhile, or the answer came too late. Not tried again. */
  | {
      readonly event: 'refused';
      readonly workId: string;
      readonly doing: 'renew' | 'submit' | 'release' | 'review';
      readonly code: string;
      readonly detail: string;
    }
  | { readonly event: 'unreachable'; readonly detail: string };

export type Tell = (event: WorkerEvent) => void;

/** How one attempt went. */
export type Attempt = 'done' | 'failed' | 'nothing';
