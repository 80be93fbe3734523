/**
 * The answers that go on until somebody ends them: the caller by going away, or the server by stopping. A registry
 * and not `AbortSignal.any` on the server's own signal, which keeps something of every request for its whole life.
 */
export class OpenStreams {
  private readonly open = new Set<AbortController>();
  private stopping = false;

  constructor(closing: AbortSignal) {
    closing.addEventListener(
      'abort',
      () => {
        this.stopping = true;
        for (const controller of this.open) controller.abort();
      },
      { once: true },
    );
  }

  /** What ends one answer. It is to be given back with `release` when the answer is over. */
  hold(request: Request): AbortController {
    const controller = new AbortController();
    if (this.stopping || request.signal.aborted) controller.abort();
    request.signal.addEventListener('abort', () => controller.abort(), { once: true });
    this.open.add(controller);
    return controller;
  }

  release(controller: AbortController): void {
    this.open.delete(controller);
  }
}
