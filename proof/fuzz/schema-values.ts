import fc from 'fast-check';
import { z } from 'zod';

/** A JSON Schema as zod writes it, as far as this file reads it. */
interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
}

/** What stands for a value that only the running desk knows; `Names.fill` puts it in. */
export const PLACES = ['@work', '@wait', '@artifact', '@version', '@person', '@receipt', '@token'] as const;

/**
 * Values that a zod schema takes, with the fields that name something of the desk left to be filled in.
 * @param schema what the door is asked with
 */
export function valuesOf(schema: z.ZodType): fc.Arbitrary<unknown> {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
  return values(json, json, '');
}

/** Fields whose value must be one of the desk's own for the request to get far. */
const NAMED: Readonly<Record<string, string>> = {
  interruptId: '@wait',
  artifactSha256: '@artifact',
  sha256: '@artifact',
  inputVersion: '@version',
  to: '@person',
  principal: '@person',
  adopts: '@receipt',
  workId: '@work',
};

function values(schema: Schema, root: Schema, name: string): fc.Arbitrary<unknown> {
  const place = NAMED[name];
  const plain = plainValues(schema, root, name);
  return place === undefined
    ? plain
    : fc.oneof({ weight: 5, arbitrary: fc.constant<unknown>(place) }, { weight: 1, arbitrary: plain });
}

function plainValues(schema: Schema, root: Schema, name: string): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return referred(schema.$ref, root, name);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const choices = schema.anyOf ?? schema.oneOf;
  // z.json() is one schema that refers to itself.
  if (choices && choices.length >= 6) return fc.jsonValue({ maxDepth: 3 });
  if (choices) return fc.oneof(...choices.map((choice) => values(choice, root, '')));
  if (schema.allOf)
    return values(Object.assign({}, schema, { allOf: undefined }, ...schema.allOf) as Schema, root, name);
  const type = Array.isArray(schema.type) ? (schema.type as string[])[0] : schema.type;
  switch (type ?? '') {
    case 'object':
      return objects(schema, root);
    case 'array':
      return fc.array(values(schema.items ?? {}, root, ''), {
        minLength: schema.minItems ?? 0,
        maxLength: 4,
      });
    case 'integer':
      return fc.integer({
        min: Math.max(schema.minimum ?? -1000, -(2 ** 31)),
        max: Math.min(schema.maximum ?? 1000, 2 ** 31 - 1),
      });
    case 'number':
      return fc.double({ min: schema.minimum ?? 0, max: schema.maximum ?? 1e6, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      return texts(schema);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function referred(ref: string, root: Schema, name: string): fc.Arbitrary<unknown> {
  const target = root.$defs?.[ref.replace('#/$defs/', '')];
  // What refers to itself is any JSON here; no other schema of the doors is recursive.
  if (!target || JSON.stringify(target).includes(ref)) return fc.jsonValue({ maxDepth: 3 });
  return values(target, root, name);
}

function objects(schema: Schema, root: Schema): fc.Arbitrary<unknown> {
  const properties = Object.entries(schema.properties ?? {});
  const arbitraries = Object.fromEntries(properties.map(([key, each]) => [key, values(each, root, key)]));
  return fc.record(arbitraries, { requiredKeys: [...(schema.required ?? [])] });
}

function texts(schema: Schema): fc.Arbitrary<string> {
  if (schema.format === 'date-time')
    return fc
      .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString());
  if (schema.format === 'uri') return fc.webUrl();
  if (schema.pattern?.includes('[0-9a-f]{64}')) return fc.stringMatching(/^[0-9a-f]{64}$/);
  if (schema.pattern?.includes('A-Za-z0-9')) return fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,20}$/);
  if (schema.pattern !== undefined) return fc.stringMatching(/^[a-z0-9-]{1,20}$/);
  const minLength = schema.minLength ?? 0;
  return fc.string({ minLength, maxLength: Math.max(minLength, Math.min(schema.maxLength ?? 40, 40)) });
}
