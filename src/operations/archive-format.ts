/**
 * An archive of a desk: one JSON object a line. Tenant after tenant: what it is, each work with its thread, what belongs
 * to no work, the bytes of artifacts, its end. The same for every back end, so it moves a desk from one to another.
 */
export const ARCHIVE_VERSION = 2;
/** The first held one tenant and did not name it anew. */
export const ARCHIVE_VERSIONS: readonly number[] = [1, ARCHIVE_VERSION];

export type Row = Readonly<Record<string, string | number | null>>;
export type Tables = Readonly<Record<string, readonly Row[]>>;

/** A value as LangGraph's serialiser writes it: its type, and its bytes in base64. */
export type Dumped = readonly [type: string, base64: string];

export interface ArchivedCheckpoint {
  readonly id: string;
  readonly parent: string | null;
  readonly checkpoint: Dumped;
  readonly metadata: Dumped;
  readonly writes: readonly (readonly [taskId: string, channel: string, value: Dumped])[];
}

export type ArchiveLine =
  /** `tenants` are all that the archive has, so that one of which the last is missing is known as cut off. */
  | {
      readonly signalbox: number;
      readonly tenant: string;
      readonly tenants?: readonly string[];
      readonly at: string;
    }
  | { readonly tables: Tables }
  /** `thread` is its line of checkpoints, oldest first. */
  | { readonly work: string; readonly tables: Tables; readonly thread: readonly ArchivedCheckpoint[] }
  | { readonly artifact: string; readonly base64: string }
  /** Last of a tenant, so that an archive that was cut off is known as one. */
  | { readonly end: { readonly works: number; readonly artifacts: number } };

/** Of a tenant and of no work. Sessions and sign-in links are left out: people sign in anew. */
export const TENANT_TABLES = ['principals', 'tokens', 'artifacts', 'switches'] as const;

/** Of a work, in an order in which each finds what it refers to. `history` is told apart: its positions are given anew. */
export const WORK_TABLES = [
  'work_blocks',
  'input_versions',
  'receipts',
  'idempotency_keys',
  'leases',
  'partials',
  'effects',
  'handoffs',
  'history',
  'cases',
  'case_observations',
  'case_evidence',
  'rank_changes',
  'outbox',
  'dead_letters',
] as const;
