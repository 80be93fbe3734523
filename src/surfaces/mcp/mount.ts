import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Hono } from 'hono';
import { LIMITS } from '../../core/limits.js';
import { doorFor } from '../../operations/door.js';
import type { AppEnv } from '../http/app-options.js';
import { bearerToken } from '../http/caller.js';
import { entranceOf } from '../http/entrance.js';
import { errorFields, stderrLog } from '../http/log.js';
import { methodProblem, problemResponse } from '../http/problem.js';
import { readJson } from '../http/request-body.js';
import type { ServedBox } from '../http/server.js';
import { packageVersion } from '../http/version.js';
import { mcpServer } from './mcp-server.js';

/**
 * MCP at `/mcp`: streamable HTTP without sessions. Every request brings its token and is answered by a server of its
 * own, so nothing is kept between requests, any process can answer, and a revoked token is out at once.
 */
export function mountMcp(app: Hono<AppEnv>, { desk, config }: ServedBox): void {
  const log = stderrLog(config.logLevel);
  const version = packageVersion();
  app.post('/mcp', async (c) => {
    const request = c.req.raw;
    const { who, leave } = await entranceOf(c, desk).letIn(c, bearerToken(request.headers));
    const server = mcpServer(doorFor(desk, who), {
      version,
      report: (error) => log.error('a tool failed', { requestId: c.get('requestId'), ...errorFields(error) }),
    });
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    try {
      const parsedBody = await readJson(request, LIMITS.mcpBody_bytes);
      await server.connect(transport);
      return await transport.handleRequest(request, { parsedBody });
    } finally {
      leave();
      await server.close();
    }
  });
  // Without sessions there is nothing to listen for and nothing to end.
  app.on(['GET', 'DELETE'], '/mcp', (c) =>
    problemResponse(methodProblem(c.req.method, ['POST']), { allow: 'POST' }),
  );
}
