export interface StormOptions {
  readonly backend: 'sqlite' | 'postgres';
  readonly duration_ms: number;
  readonly servers: number;
  readonly workers: number;
  /** Processes that the workers are spread over; each is killed as a whole. */
  readonly workerProcesses: number;
  /** Between two kills, at least and at most. */
  readonly pause_ms: readonly [number, number];
  readonly seed: number;
  /** An empty folder for everything. */
  readonly folder: string;
  /** The built command line. */
  readonly program: string;
  readonly tell?: (line: string) => void;
}
