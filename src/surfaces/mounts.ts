import { mountCockpit } from './cockpit/mount.js';
import { mountLangGraph } from './langgraph/mount.js';
import { mountMcp } from './mcp/mount.js';
import type { ServerOptions } from './http/server.js';

/** The surfaces that share the server's address with the HTTP API: each adds its own paths. */
export const MOUNTS: NonNullable<ServerOptions['mounts']> = [mountLangGraph, mountCockpit, mountMcp];
