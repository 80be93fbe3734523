import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
  type Tool as ListedTool,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { DoorLike } from '../../client.js';
import { Refusal, invalid } from '../../core/refusals.js';
import { answered, failed, refused } from './answers.js';
import type { Tool } from './tool.js';
import { TOOLS } from './tools.js';

/** What a model is told once, before it sees the tools. */
const INSTRUCTIONS = `Signalbox is a durable queue of work. The usual way: claim_next, do the work described by \`claim.input\`, renew while you are at it, submit_result. A result is reviewed by somebody else: list_ready with status ["VP_REVIEW"], get_work, get_artifact, review.
An answer is for one wait, named by its interruptId. A refusal is final and changed nothing: it carries \`code\`, \`current\` (how the work stands now) and \`next\` (what to do). Never repeat a refused call unchanged.`;

export interface McpOptions {
  readonly version: string;
  /** Gets what is no refusal; the model is told nothing of our inside. */
  readonly report: (error: unknown) => void;
}

/** An MCP server over one door, not yet connected to a transport. */
export function mcpServer(door: DoorLike, options: McpOptions): Server {
  const server = new Server(
    { name: 'signalbox', version: options.version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: LISTED }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const tool = TOOLS.find((each) => each.name === params.name);
    if (!tool) throw new McpError(ErrorCode.InvalidParams, `there is no tool ${params.name}`);
    return await run(tool, door, params.arguments ?? {}, options);
  });
  return server;
}

const LISTED: ListedTool[] = TOOLS.map(({ name, description, input, readOnly }) => ({
  name,
  description,
  inputSchema: z.toJSONSchema(input, { io: 'input' }) as ListedTool['inputSchema'],
  annotations: { readOnlyHint: readOnly === true, destructiveHint: false, openWorldHint: false },
}));

/**
 * The arguments go on to the door as they came: it refuses in its own order, so that a wrong call has the same code
 * here as through every other door.
 */
async function run(
  tool: Tool,
  door: DoorLike,
  given: Readonly<Record<string, unknown>>,
  { report }: McpOptions,
): Promise<CallToolResult> {
  const { idempotencyKey, ...rest } = given;
  try {
    if (idempotencyKey !== undefined && typeof idempotencyKey !== 'string')
      throw invalid('/idempotencyKey', 'must be text');
    return answered(await tool.call(door, rest, idempotencyKey === undefined ? {} : { idempotencyKey }));
  } catch (error) {
    if (error instanceof Refusal) return refused(error);
    report(error);
    return failed('the call could not be carried out, or its answer did not arrive');
  }
}
