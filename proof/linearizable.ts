/** One call as its caller saw it; times on one clock. */
export interface Observed<O> {
  readonly invoked_ns: bigint;
  readonly responded_ns: bigint;
  readonly seen: O;
}

/**
 * Whether there is an order of these calls, one after the other, that fits both the times and what was seen (Wing and
 * Gong's search, with a memory of what was tried). A call may stand anywhere between its invocation and its response.
 * @param apply the state after a call, or null where the call could not have seen this in that state
 */
export function isLinearizable<S, O>(
  calls: readonly Observed<O>[],
  initial: S,
  apply: (state: S, seen: O) => S | null,
): boolean {
  const tried = new Set<string>();
  const search = (left: readonly number[], state: S): boolean => {
    if (left.length === 0) return true;
    const key = `${left.join()}|${JSON.stringify(state)}`;
    if (tried.has(key)) return false;
    tried.add(key);
    const ends = left.map((index) => calls[index]?.responded_ns ?? 0n);
    const first = ends.reduce((least, end) => (end < least ? end : least));
    return left.some((index) => {
      const call = calls[index];
      // Whoever was called after another had its answer comes after it.
      if (!call || call.invoked_ns > first) return false;
      const next = apply(state, call.seen);
      return (
        next !== null &&
        search(
          left.filter((each) => each !== index),
          next,
        )
      );
    });
  };
  return search(
    calls.map((_, index) => index),
    initial,
  );
}
