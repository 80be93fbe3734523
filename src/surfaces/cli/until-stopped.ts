/**
 * Waits for SIGINT or SIGTERM; may be called before anything is started, so that no signal is missed. A second
 * signal ends the process where it stands: what was acknowledged is on disk by then.
 */
export function untilStopped(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals): void => {
      resolve(signal);
      for (const each of ['SIGINT', 'SIGTERM'] as const) {
        process.removeListener(each, stop);
        process.once(each, () => process.exit(130));
      }
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}
