import { Ajv } from 'ajv';
import type { ErrorObject, Options, ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { LIMITS } from '../core/limits.js';
import type { SchemaCheck, SchemaIssue } from '../core/kind.js';
import { pointerOf } from './pointers.js';

interface ParserIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/**
 * What we need of a zod schema. By shape, not by class: a config file may bring its own copy of zod.
 * Only the verdict is used; defaults and transforms are not applied, because an input is kept as it was sent.
 */
export interface ZodLike {
  safeParse(
    value: unknown,
  ): { success: true } | { success: false; error: { readonly issues: readonly ParserIssue[] } };
}

/** A JSON Schema as an object; draft 2020-12 unless its `$schema` says 2019-09 or draft-07. */
export type JsonSchema = { readonly [keyword: string]: unknown };

export type SchemaSource = ZodLike | JsonSchema;

export function isZodLike(source: unknown): source is ZodLike {
  return (
    typeof source === 'object' &&
    source !== null &&
    typeof (source as Partial<ZodLike>).safeParse === 'function'
  );
}

/**
 * Makes the pure check of a zod schema or a JSON Schema.
 * Throws an Error that says what is wrong when a JSON Schema does not compile. The check itself throws
 * only where the schema cannot be run (an asynchronous zod refinement, say): a fault of the schema, never of the value.
 */
export function compileSchema(source: SchemaSource): SchemaCheck {
  const issuesOf = isZodLike(source) ? zodCheck(source) : jsonSchemaCheck(source);
  return (value) => {
    try {
      return issuesOf(value).slice(0, LIMITS.findings);
    } catch (error) {
      // A recursive schema follows the value as deep as the value goes; that depth is the sender's doing.
      if (error instanceof RangeError) return [{ path: '', message: 'is nested too deeply to be checked' }];
      throw error;
    }
  };
}

function zodCheck(schema: ZodLike): SchemaCheck {
  return (value) => {
    const parsed = schema.safeParse(value);
    return parsed.success ? [] : parsed.error.issues.flatMap(fromZod);
  };
}

function fromZod(issue: ParserIssue): SchemaIssue[] {
  const { keys, errors } = issue as { keys?: unknown; errors?: unknown };
  if (Array.isArray(keys))
    return keys.map((key) => ({
      path: pointerOf([...issue.path, String(key)]),
      message: 'is not a known field',
    }));
  return [{ path: pointerOf(issue.path), message: `${issue.message}${branches(errors)}` }];
}

/** A union fails with the bare words "Invalid input"; what each branch asked for is what helps. */
function branches(errors: unknown): string {
  if (!Array.isArray(errors) || errors.length === 0) return '';
  const each = (errors as ParserIssue[][]).map((branch) =>
    branch
      .map((issue) => `${issue.path.length === 0 ? '' : `${pointerOf(issue.path)} `}${issue.message}`)
      .join(', '),
  );
  return ` (${each.join('; or ')})`;
}

const AJV_OPTIONS: Options = {
  allErrors: true,
  // Unknown keywords are refused, since they are typing mistakes. A type left out or given as a list is not one,
  // nor is a required field without a schema of its own.
  strict: true,
  strictRequired: false,
  strictTypes: false,
  strictTuples: false,
  allowUnionTypes: true,
  // `format` is a remark here, known or not: nothing is refused for it.
  validateFormats: false,
  // Without it `required: ["toString"]` would be met by every object.
  ownProperties: true,
  logger: false,
};

function jsonSchemaCheck(schema: JsonSchema): SchemaCheck {
  // One compiler per schema, so that two kinds may use the same `$id`.
  const validate = ajvFor(schema).compile(schema) as ValidateFunction & { $async?: unknown };
  if (validate.$async === true)
    throw new Error('an asynchronous schema ($async) cannot be used: a check must answer at once');
  return (value) => (validate(value) ? [] : (validate.errors ?? []).map(fromAjv));
}

function ajvFor(schema: JsonSchema): Ajv {
  const named = schema['$schema'];
  const dialect = typeof named === 'string' ? named : '';
  if (dialect.includes('draft-07')) return new Ajv(AJV_OPTIONS);
  if (dialect.includes('2019-09')) return new Ajv2019(AJV_OPTIONS);
  return new Ajv2020(AJV_OPTIONS);
}

function fromAjv(error: ErrorObject): SchemaIssue {
  const params = error.params as Record<string, unknown>;
  if (error.keyword === 'required')
    return {
      path: error.instancePath + pointerOf([String(params['missingProperty'])]),
      message: 'is required',
    };
  const extra = params['additionalProperty'] ?? params['unevaluatedProperty'];
  if (typeof extra === 'string')
    return { path: error.instancePath + pointerOf([extra]), message: 'is not a known field' };
  const allowed = params['allowedValues'];
  const list = Array.isArray(allowed) ? `: ${allowed.map((value) => JSON.stringify(value)).join(', ')}` : '';
  return {
    path: error.instancePath,
    message: `${error.message ?? `breaks the rule ${error.keyword}`}${list}`,
  };
}
