import { HANDOFF_TOOLS } from './tools-handoff.js';
import { HOLDER_TOOLS } from './tools-holder.js';
import { JUDGE_TOOLS } from './tools-judge.js';
import { READ_TOOLS } from './tools-read.js';
import type { Tool } from './tool.js';

/** THE tool table of MCP, in the order in which a worker meets them. A tool that is not here does not exist. */
export const TOOLS: readonly Tool[] = [...READ_TOOLS, ...HOLDER_TOOLS, ...HANDOFF_TOOLS, ...JUDGE_TOOLS];
