import { z } from 'zod';
import type { CasePolicy } from '../core/case.js';
import { ConfigError } from './config-error.js';
import { compileSchema } from './schema-check.js';

const name = z.string().min(1).max(100);
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable');
const url = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });
const days = z.number().positive().max(36_500);

const target = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('webhook'),
    url,
    secretEnv: variable,
    askUrl: url.nullable().default(null),
  }),
  z.strictObject({
    type: z.literal('langgraph'),
    url,
    assistant: name.default('agent'),
    apiKeyEnv: variable.nullable().default(null),
  }),
  z.strictObject({ type: z.literal('work') }),
  z.strictObject({ type: z.literal('poll') }),
]);

const shape = z.strictObject({
  classifications: z
    .record(
      name,
      z.strictObject({
        recurrence: z.enum(['observation', 'new_occurrence']).default('observation'),
        team: name.nullable().default(null),
        respond_ms: z.int().positive().nullable().default(null),
      }),
    )
    .default({}),
  teams: z
    .record(
      name,
      z.strictObject({
        capacity: z.int().positive().nullable().default(null),
        escalateTo: name.nullable().default(null),
      }),
    )
    .default({}),
  defaultTeam: name.default('desk'),
  origins: z.record(name, target).default({}),
  webhooks: z
    .strictObject({
      allow: z.array(url).default([]),
      secretEnv: variable.nullable().default(null),
      privateNetworks: z.boolean().default(false),
    })
    .default({ allow: [], secretEnv: null, privateNetworks: false }),
  evidenceRetention_days: days.default(365),
  deadLetterRetention_days: days.default(90),
  deadLetterOwner: name.default('owner'),
  sqs: z
    .array(
      z.strictObject({
        queueUrl: url,
        region: name.default('us-east-1'),
        endpoint: url.nullable().default(null),
        tenant: name.default('default'),
        principal: name,
        attempts: z.int().min(1).max(1_000).default(5),
        visibility_s: z.int().min(1).max(43_200).default(30),
      }),
    )
    .default([]),
});

/** What the `cases` field of a config may say. Everything has a default. */
export type CasesDeclaration = z.input<typeof shape>;

const DAY_ms = 24 * 60 * 60_000;

/** @throws ConfigError with every problem, each with its path below `cases` */
export function resolveCases(declared: unknown): CasePolicy {
  const issues = compileSchema(shape)(declared);
  if (issues.length > 0) throw new ConfigError('the cases', issues);
  const { webhooks, evidenceRetention_days, deadLetterRetention_days, ...resolved } = shape.parse(declared);
  return Object.freeze({
    classifications: new Map(Object.entries(resolved.classifications)),
    teams: new Map(Object.entries(resolved.teams)),
    origins: new Map(Object.entries(resolved.origins)),
    defaultTeam: resolved.defaultTeam,
    webhookAllow: webhooks.allow,
    webhookSecretEnv: webhooks.secretEnv,
    webhookPrivateNetworks: webhooks.privateNetworks,
    evidenceRetention_ms: evidenceRetention_days * DAY_ms,
    deadLetterRetention_ms: deadLetterRetention_days * DAY_ms,
    deadLetterOwner: resolved.deadLetterOwner,
    sqs: resolved.sqs,
  });
}
