/** What a process of the proof says: about to send, told, and how it all ended. */
export interface JournalLine {
  readonly step: string;
  /** The arguments of the call, before it is made. */
  readonly asked?: readonly unknown[];
  readonly told?: {
    readonly receiptId: string | null;
    readonly sha256: string | null;
    readonly goAhead: boolean | null;
    readonly workId: string | null;
  };
}

export interface Finished {
  readonly finished: {
    readonly status: string;
    readonly caseStatus: string;
    /** Action and outcome of each receipt, in order of the alphabet. */
    readonly receipts: readonly string[];
    /** Intents that got a go-ahead. */
    readonly effects: number;
    readonly faults: readonly string[];
    readonly hasOwnerToken: boolean;
    /** Durable steps that the process made, by name. */
    readonly steps: readonly string[];
  };
}
