import { packageVersion } from '../../http/version.js';
import { untilStopped } from '../until-stopped.js';
import type { DoorVerb } from '../verb.js';

export const verb: DoorVerb = {
  summary: 'Serve MCP on stdin and stdout, for an agent that starts this as its tool server',
  examples: [
    'signalbox mcp --as alice',
    'SIGNALBOX_URL=http://127.0.0.1:4114 SIGNALBOX_TOKEN=… signalbox mcp',
  ],
  async run(door, _args, out) {
    const stopped = untilStopped();
    const { serveStdio } = await import('../../mcp/stdio.js');
    const report = (error: unknown): void =>
      out.note(`a tool failed: ${error instanceof Error ? error.message : String(error)}`);
    await serveStdio(door, { version: packageVersion(), report }, stopped);
  },
};
