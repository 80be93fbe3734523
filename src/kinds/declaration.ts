import { z } from 'zod';
import { OPTIONAL_STAGES } from '../core/kind.js';
import type { LeasePolicy, OptionalStage } from '../core/kind.js';
import type { SchemaSource } from './schema-check.js';

/** A validator as a declaration writes it. `name` is its type unless given; names are unique in a kind. */
export type ValidatorDeclaration =
  | { readonly type: 'schema'; readonly name?: string; readonly schema: SchemaSource }
  /** Fields of the JSON artifact, by name or JSON Pointer, that must be there and not be null or blank. */
  | { readonly type: 'required'; readonly name?: string; readonly fields: readonly string[] }
  /** `command` is an argument list; no shell reads it. */
  | {
      readonly type: 'command';
      readonly name?: string;
      readonly command: readonly string[];
      readonly timeLimit_ms?: number;
      readonly findingExitCodes?: readonly number[];
    }
  /** The result's `headSha` must be a commit of the repository whose absolute path the input holds at `repositoryField`. */
  | { readonly type: 'commit'; readonly name?: string; readonly repositoryField: string };

/** A kind as people declare it. Everything but the name has a default: see DEFAULTS in define-kind.ts. */
export interface KindDeclaration {
  /** Lower-case words joined by `-`; stands in URLs and derived work IDs. */
  readonly name: string;
  readonly description?: string;
  /** Fields of the input, by name or JSON Pointer, that make two inputs the same work. */
  readonly identity?: readonly string[];
  /** zod schema or JSON Schema of the input; any JSON when left out. */
  readonly input?: SchemaSource;
  /** zod schema or JSON Schema of the artifact, which must then be JSON. */
  readonly artifact?: SchemaSource;
  readonly artifactMediaType?: string | null;
  readonly requiresHeadSha?: boolean;
  readonly validators?: readonly ValidatorDeclaration[];
  readonly validatorRetries?: number;
  readonly lease?: Partial<LeasePolicy>;
  readonly reviewLease_ms?: number;
  readonly roundLimit?: number;
  readonly leaseLossLimit?: number;
  readonly autoNothingFound?: boolean;
  readonly approvals?: number;
  readonly skips?: readonly OptionalStage[];
  readonly completion?: string;
  /** Added to ALWAYS_OWNER_ONLY, which no declaration can take away. */
  readonly ownerOnly?: readonly string[];
  readonly effects?: readonly string[];
  readonly observation_ms?: number;
  readonly titleFrom?: string | null;
}

/** Bounds of what a declaration may ask for. */
export const DECLARATION_LIMITS = Object.freeze({
  lease_ms: 365 * 24 * 60 * 60_000,
  /** Node's timers hold 2^31 - 1 ms at most; a day is far below and long enough for any validator. */
  commandTimeLimit_ms: 24 * 60 * 60_000,
  validatorRetries: 10,
  roundLimit: 1_000,
  leaseLossLimit: 1_000,
  approvals: 20,
  description_chars: 2_000,
});

const word = z
  .string()
  .regex(
    /^[a-z][a-z0-9_-]{0,62}$/,
    'must be lower-case letters, digits, _ or -, beginning with a letter, at most 63',
  );
const field = z.string().min(1, 'must be a field name or a JSON Pointer');
const schema = z.custom<SchemaSource>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be a zod schema or a JSON Schema object',
);
const milliseconds = (limit: number) => {
  const message = `must be a whole number of milliseconds from 1 to ${limit}`;
  return z.int(message).min(1, message).max(limit, message);
};
const count = (least: number, most: number) => {
  const message = `must be a whole number from ${least} to ${most}`;
  return z.int(message).min(least, message).max(most, message);
};
const argument = z
  .string('must be text')
  .refine((text) => !text.includes('\0'), 'must not hold a NUL character');
const lease = milliseconds(DECLARATION_LIMITS.lease_ms);

const validator = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('schema'), name: word.optional(), schema }),
    z.strictObject({
      type: z.literal('required'),
      name: word.optional(),
      fields: z.array(field).min(1, 'must name at least one field'),
    }),
    z.strictObject({
      type: z.literal('command'),
      name: word.optional(),
      command: z
        .array(argument, 'must be a list: the program, then each of its arguments')
        .refine((command) => (command[0] ?? '') !== '', 'must begin with the program to run'),
      timeLimit_ms: milliseconds(DECLARATION_LIMITS.commandTimeLimit_ms).optional(),
      findingExitCodes: z.array(count(1, 255)).optional(),
    }),
    z.strictObject({ type: z.literal('commit'), name: word.optional(), repositoryField: field }),
  ],
  'must have a type: schema, required, command or commit',
);

/** The shape of a declaration; rules that need more than one field are in define-kind.ts. */
export const declarationShape = z.strictObject(
  {
    name: word,
    description: z.string().max(DECLARATION_LIMITS.description_chars).optional(),
    identity: z.array(field).optional(),
    input: schema.optional(),
    artifact: schema.optional(),
    artifactMediaType: z
      .string()
      .regex(
        /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/,
        'must be a media type in lower case without parameters, such as application/json',
      )
      .nullable()
      .optional(),
    requiresHeadSha: z.boolean().optional(),
    validators: z.array(validator).optional(),
    validatorRetries: count(0, DECLARATION_LIMITS.validatorRetries).optional(),
    lease: z
      .strictObject({
        lease_ms: lease.optional(),
        leaseLimit_ms: lease.optional(),
        noProgress_ms: lease.optional(),
      })
      .optional(),
    reviewLease_ms: lease.optional(),
    roundLimit: count(1, DECLARATION_LIMITS.roundLimit).optional(),
    leaseLossLimit: count(1, DECLARATION_LIMITS.leaseLossLimit).optional(),
    autoNothingFound: z.boolean().optional(),
    approvals: count(1, DECLARATION_LIMITS.approvals).optional(),
    skips: z
      .array(
        z.enum(
          OPTIONAL_STAGES,
          `must be one of ${OPTIONAL_STAGES.join(', ')}: no other stage can be left out`,
        ),
      )
      .optional(),
    completion: word.optional(),
    ownerOnly: z.array(word).optional(),
    effects: z.array(word).optional(),
    observation_ms: lease.optional(),
    titleFrom: field.nullable().optional(),
  },
  'must be a declaration object with at least a name',
);
