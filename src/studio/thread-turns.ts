/** Lets one request at a time act on each thread, so that between the check and the run nothing can move it. */
export class ThreadTurns {
  private readonly last = new Map<string, Promise<void>>();

  async run<T>(threadId: string, act: () => Promise<T>): Promise<T> {
    const before = this.last.get(threadId) ?? Promise.resolve();
    const turn = before.then(act);
    const over = turn.then(
      () => undefined,
      () => undefined,
    );
    this.last.set(threadId, over);
    try {
      return await turn;
    } finally {
      if (this.last.get(threadId) === over) this.last.delete(threadId);
    }
  }
}
