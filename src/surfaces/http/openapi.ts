import { z } from 'zod';
import { problemAnswer } from './answer-schemas.js';
import type { Route } from './route.js';

type JsonObject = Record<string, unknown>;

/**
 * The OpenAPI 3.1 document of a route table. 3.1 takes JSON Schema 2020-12 as it is, which zod writes itself
 * (docs/decisions/0010).
 */
export function openApiDocument(routes: readonly Route[], version: string): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method] = operationOf(route);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Signalbox',
      version,
      description: 'A durable job queue and human workbasket for AI workers, on LangGraph checkpoints.',
    },
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: schemaOf(problemAnswer, 'output') },
      responses: {
        Problem: {
          description: 'Turned away, with the code, what is current, and what to do next',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
    },
  };
}

function operationOf(route: Route): JsonObject {
  return {
    operationId: route.operation,
    summary: route.summary,
    description: `Roles: ${route.roles}.`,
    parameters: [...pathParameters(route), ...queryParameters(route), ...headerParameters(route)],
    ...(route.body === undefined ? {} : { requestBody: requestBodyOf(route.body, route.operation) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.answers).map(([status, answer]) => [status, responseOf(route, answer)]),
      ),
      default: { $ref: '#/components/responses/Problem' },
    },
  };
}

function requestBodyOf(body: NonNullable<Route['body']>, operation: string): JsonObject {
  if (body === 'bytes') return { required: true, content: { '*/*': {} } };
  if (body === 'ndjson') return { required: true, content: { 'application/x-ndjson': {} } };
  return { content: { 'application/json': { schema: schemaOf(body, 'input', `${operation}.request`) } } };
}

function responseOf(route: Route, answer: z.ZodType | string): JsonObject {
  if (typeof answer === 'string') return { description: answer };
  const type = route.body === 'ndjson' ? 'application/x-ndjson' : 'application/json';
  return {
    description: route.summary,
    content: { [type]: { schema: schemaOf(answer, 'output', `${route.operation}.answer`) } },
  };
}

function pathParameters(route: Route): JsonObject[] {
  return [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(route: Route): JsonObject[] {
  return Object.entries((route.query?.shape ?? {}) as Record<string, z.ZodType>).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema: schemaOf(schema, 'input'),
  }));
}

function headerParameters(route: Route): JsonObject[] {
  const header = (name: string, description: string): JsonObject => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  });
  return [
    ...(route.method === 'post'
      ? [header('Idempotency-Key', 'The same request again gets the same answer, once done')]
      : []),
    header('X-Signalbox-On-Behalf-Of', 'The principal this is done for; operator or owner only'),
    header('X-Signalbox-Reason', 'Why it is done on behalf of somebody'),
    header('X-Request-Id', 'Comes back, and stands in the log'),
  ];
}

/** zod hoists recursive parts into `$defs` and refers to them from its own root; inside a document the root is elsewhere. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', id = ''): JsonObject {
  const { $schema, ...rest } = z.toJSONSchema(schema as z.core.$ZodType, { io, unrepresentable: 'any' });
  void $schema;
  return rest.$defs === undefined ? rest : { $id: `urn:signalbox:schema:${id}`, ...rest };
}
