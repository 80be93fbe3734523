import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { DoorLike } from '../../client.js';
import { mcpServer, type McpOptions } from './mcp-server.js';

/** Serves MCP on stdin and stdout until stdin ends or `stopped` comes. Nothing else may be written to stdout. */
export async function serveStdio(
  door: DoorLike,
  options: McpOptions,
  stopped: Promise<unknown>,
): Promise<void> {
  const server = mcpServer(door, options);
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
  });
  await server.connect(new StdioServerTransport());
  await Promise.race([ended, stopped]);
  await server.close();
}
