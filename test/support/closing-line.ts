import { writeSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** `N passed, N failed`, with `, N skipped` where any were: what `npm test` and CI close with. */
export function closingLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** Counts a run. A file that failed to load and an error outside any test count as failures, or a red run would look green. */
export function countRun(modules: readonly TestModule[], unhandled: readonly SerializedError[]): Counts {
  const counts = { passed: 0, failed: unhandled.length, skipped: 0 };
  for (const module of modules) {
    let failedHere = 0;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') counts.passed += 1;
      else if (state === 'skipped') counts.skipped += 1;
      else failedHere += 1;
    }
    const failedOutsideTests = failedHere === 0 && module.state() === 'failed';
    counts.failed += failedOutsideTests ? 1 : failedHere;
  }
  return counts;
}

/** Prints the closing line when the process ends, so that nothing of vitest's own comes after it. */
export class ClosingLine implements Reporter {
  private line: string | null = null;

  onInit(): void {
    process.once('exit', () => {
      if (this.line !== null) writeSync(1, `${this.line}\n`);
    });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    this.line = closingLine(countRun(modules, unhandled));
  }
}
