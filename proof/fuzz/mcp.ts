import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import fc from 'fast-check';
import { REFUSALS } from '../../src/core/refusals.js';
import { TOOLS } from '../../src/surfaces/mcp/tools.js';
import { filled } from './furnish.js';
import type { FuzzDesk } from './fuzz-desk.js';
import { hostileText, hostileValue } from './hostile.js';
import { inBatches, type FuzzOptions } from './in-batches.js';
import { requireNoInsides } from './judge.js';
import { mutated } from './mutations.js';
import { valuesOf } from './schema-values.js';

interface ToolCall {
  readonly name: string;
  readonly workId: string;
  readonly by: string;
  readonly given: Record<string, unknown>;
}

const WORK_IDS = ['discovered', 'ready', 'held', 'in-review', 'passed', 'reworked', 'gated', 'absent'];

const calls: fc.Arbitrary<ToolCall> = fc
  .constantFrom(...TOOLS)
  .chain((tool) =>
    fc.record({
      name: fc.oneof(
        { weight: 20, arbitrary: fc.constant(tool.name) },
        { weight: 1, arbitrary: hostileText },
      ),
      workId: fc.constantFrom(...WORK_IDS),
      by: fc.constantFrom('owner', 'ann', 'rita', 'otto', 'sam', 'vic'),
      given: fc.oneof(
        valuesOf(tool.input),
        mutated(valuesOf(tool.input)),
        fc.dictionary(hostileText, hostileValue, { maxKeys: 4 }),
      ),
    }),
  )
  .map((call) => ({ ...call, given: objectOf(call.given) }));

/** Every tool, through the SDK's own client: an answer or a tool error with its code, nothing of our inside. */
export async function fuzzTools(options: FuzzOptions): Promise<void> {
  await inBatches(options, calls, tryTool);
}

async function tryTool(desk: FuzzDesk, { name, workId, by, given }: ToolCall): Promise<void> {
  const { box, furnished, server, dataDir } = desk;
  const text = await filled(box, furnished, JSON.stringify(given), workId);
  const before = await desk.record();
  const client = new Client({ name: 'fuzz', version: '1' });
  const headers = { authorization: `Bearer ${furnished.tokens[by] ?? ''}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', server.url), { requestInit: { headers } }),
  );
  try {
    const result = await client.callTool({ name, arguments: JSON.parse(text) as Record<string, unknown> });
    requireNoInsides(JSON.stringify(result), dataDir);
    if (result.isError !== true) return;
    const { code } = result.structuredContent as { code?: string };
    if (code === undefined || !Object.hasOwn(REFUSALS, code))
      throw new Error(`refused without a code: ${JSON.stringify(result)}`);
    // A result that came as text is stored before it is judged, as an upload is.
    const stores = ['submit_result', 'save_partial'].includes(name);
    if (!stores && (await desk.record()) !== before) throw new Error(`${code} changed the record`);
  } catch (error) {
    // What is no call of a tool is refused by the protocol itself.
    const isProtocol =
      error instanceof Error && error.name === 'McpError' && /-3260\d|-32602/.test(error.message);
    if (!isProtocol) throw error;
    requireNoInsides(error.message, dataDir);
  } finally {
    await client.close();
  }
}

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : { value };
