#!/usr/bin/env node
import { tolerateClosedPipes } from './out.js';
import { runCommandLine } from './program.js';

tolerateClosedPipes();
// Set, not called: what is still being written to a pipe is written to its end.
process.exitCode = await runCommandLine(
  process.argv.slice(2),
  {
    open: async (options) => (await import('../../open-signalbox.js')).openSignalbox(options),
    connect: async (options) => (await import('../../client.js')).connect(options),
    serve: async (box) => {
      const [{ startServer }, { MOUNTS }] = await Promise.all([
        import('../http/server.js'),
        import('../mounts.js'),
      ]);
      return await startServer(box, { mounts: MOUNTS });
    },
    sampleInvoices: async () => (await import('../../kinds/samples.js')).loadSampleInvoices(),
  },
  process.env,
);
