#!/usr/bin/env node
import nodeModule from 'node:module';
import { tolerateClosedPipes } from './out.js';
import { runCommandLine } from './program.js';

tolerateClosedPipes();
// Compiled code is kept between runs where Node can do that (from 22.1): most of a short command's time is compiling.
(nodeModule as { enableCompileCache?: () => unknown }).enableCompileCache?.();
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
