import type { Finding } from './work.js';

/** What a kind's validators made of an artifact. `failed` means that the validator itself could not run, after its retries. */
export interface Verdict {
  readonly outcome: 'passed' | 'findings' | 'failed';
  readonly findings: readonly Finding[];
}
