/** Everything `verify` can find, and whether it is damage (`fault`) or merely worth knowing (`notice`). */
export const DIFFERENCES = {
  /** The database finds its own file damaged: a page, an index, a constraint. */
  DATABASE_DAMAGED: 'fault',
  CHAIN_BROKEN: 'fault',
  CHAIN_HEAD: 'fault',
  REPLAY: 'fault',
  CHECKPOINT_HEAD: 'fault',
  CHECKPOINT_MISSING: 'fault',
  CHECKPOINT_POSITION: 'fault',
  CHECKPOINT_INTERRUPT: 'fault',
  CHECKPOINT_FORK: 'fault',
  RECEIPT_MISSING: 'fault',
  RECEIPT_WITHOUT_EVENT: 'fault',
  RECEIPT_APPLIED_TWICE: 'fault',
  RECEIPT_NOT_PENDING: 'fault',
  WAIT_ANSWERED_TWICE: 'fault',
  LEASE: 'fault',
  IDENTITY_DUPLICATE: 'fault',
  /** A turn of a switch or a dead letter that is not as the tenant's journal tells. */
  JOURNAL: 'fault',
  /** A number that is kept as works are written and is not what counting them gives. */
  COUNT: 'fault',
  ARTIFACT_MISSING: 'fault',
  ARTIFACT_DAMAGED: 'fault',
  ARTIFACT_WITHOUT_RECORD: 'fault',
  /** A file that nothing names: a crash between storing the bytes and recording them leaves one, and it harms nothing. */
  ARTIFACT_LEFT_OVER: 'notice',
  /** Stored and never handed in. */
  ARTIFACT_UNUSED: 'notice',
} as const;
export type DifferenceCode = keyof typeof DIFFERENCES;

/** One thing that is not as history, checkpoint or disk say it should be. */
export interface Difference {
  readonly code: DifferenceCode;
  readonly severity: 'fault' | 'notice';
  readonly tenant: string;
  readonly workId: string | null;
  /** The event it was noticed at; null where no single event is concerned. */
  readonly seq: number | null;
  readonly expected: unknown;
  readonly found: unknown;
  /** Who made it and for which input version; null where nothing tells. */
  readonly madeBy: string | null;
  readonly inputVersion: number | null;
  /** RFC 3339 UTC; null where nothing tells. */
  readonly at: string | null;
  readonly detail: string;
}

type Known = Pick<Difference, 'tenant' | 'detail'> & Partial<Omit<Difference, 'code' | 'severity'>>;

export function difference(code: DifferenceCode, known: Known): Difference {
  return {
    workId: null,
    seq: null,
    expected: null,
    found: null,
    madeBy: null,
    inputVersion: null,
    at: null,
    ...known,
    code,
    severity: DIFFERENCES[code],
  };
}
