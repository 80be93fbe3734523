/** One work from registration to done, and who can do it. */
export type Step = 'submit' | 'review';
export type Timed = <T>(step: Step, run: () => Promise<T>) => Promise<T>;
export type Lifecycle = (id: string, payload: unknown, timed: Timed) => Promise<void>;

/** Where a contestant keeps its data: a folder of its own, and a database where it is to be on PostgreSQL. */
export interface Place {
  readonly folder: string;
  readonly databaseUrl: string | null;
}

export interface Contestant {
  open(place: Place): Promise<{ readonly life: Lifecycle; readonly close: () => Promise<void> }>;
}

/** 1 KB, different for each work. */
export function payload(seed: number): unknown {
  const chars = 1_000;
  return { seed, text: String(seed).repeat(chars).slice(0, chars) };
}
