import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { MAIN } from '../cli/command.js';

/** What a tool answered, as a model sees it. */
export interface Answer {
  readonly isError: boolean;
  // What a tool answers is only known once it is looked at.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly said: any;
  /** The same as text. */
  readonly text: string;
}

export interface ToolClient {
  readonly client: Client;
  call(name: string, given?: Readonly<Record<string, unknown>>): Promise<Answer>;
  close(): Promise<void>;
}

/** The SDK's own client, over streamable HTTP. */
export function overHttp(url: string, token: string): Promise<ToolClient> {
  const headers = { authorization: `Bearer ${token}` };
  return connected(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }));
}

/** The SDK's own client, over a real process of `signalbox mcp`. */
export function overStdio(env: Readonly<Record<string, string>>, args: readonly string[] = []) {
  return connected(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, 'mcp', ...args],
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stderr: 'pipe',
    }),
  );
}

async function connected(transport: Transport): Promise<ToolClient> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  return {
    client,
    async call(name, given = {}) {
      const result = (await client.callTool({ name, arguments: { ...given } })) as CallToolResult;
      const [first] = result.content;
      return {
        isError: result.isError === true,
        said: result.structuredContent,
        text: first?.type === 'text' ? first.text : '',
      };
    },
    close: () => client.close(),
  };
}
