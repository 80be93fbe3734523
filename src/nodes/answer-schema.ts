import { z } from 'zod';
import { actionsIn, ACTION_RULES, type Action } from '../core/transitions.js';
import { isSameParty, waitIdOf, type Party, type Position, type Status } from '../core/work.js';

/**
 * What a wait accepts, built from checkpointed state: the literal wait, input version and artifact it stands for,
 * then one of the actions its status has. This is the guard inside the graph: a resume that comes past the desk
 * meets it too, and one that does not fit leaves the wait armed (LangGraph throws before the node has consumed it).
 */

const party = z.object({ principal: z.string().min(1), actor: z.string().min(1) });
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const artifact = z.object({ sha256: hash, headSha: z.string().optional() });
const finding = z.object({ validator: z.string(), path: z.string(), message: z.string() });
const findings = z.array(finding);

const letGo = { effectsOpen: z.boolean().optional(), lossesExceeded: z.boolean().optional() };

const plain = (action: Action) => z.object({ action: z.literal(action), by: party });

const ANSWERS: Partial<Record<Action, z.ZodObject>> = {
  promote: plain('promote'),
  claim: plain('claim'),
  result: plain('result').extend({ artifact }),
  release: plain('release').extend(letGo),
  handoff: plain('handoff').extend({ to: party.nullable(), ...letGo }),
  investigate: plain('investigate').extend({
    finding: z.enum(['result_found', 'nothing_found', 'outcome_unknown']),
    lossesExceeded: z.boolean().optional(),
    adopted: z.object({ artifact, author: party }).optional(),
  }),
  review: plain('review').extend({
    verdict: z.enum(['PASS', 'REWORK', 'ESCALATE']),
    evidenceRef: z.string().min(1),
    findings,
    reason: z.string(),
  }),
  decide: plain('decide').extend({
    decision: z.enum(['approve', 'reject', 'rework', 'hold']),
    gateAction: z.string(),
    findings,
  }),
  complete: plain('complete').extend({ outcome: z.enum(['merged', 'conflict', 'unknown']) }),
  observe: plain('observe').extend({ outcome: z.enum(['ok', 'regressed']) }),
  asset: plain('asset'),
  hold: plain('hold'),
  resume: plain('resume'),
  block: plain('block'),
  unblock: plain('unblock'),
  cancel: plain('cancel'),
  escalate: plain('escalate').extend({ gateAction: z.string().min(1), reason: z.string().min(1) }),
  doubt: plain('doubt'),
  reconcile: plain('reconcile').extend({ finding: z.enum(['happened', 'did_not_happen']) }),
  correct: plain('correct').extend({ inputVersion: z.number().int(), inputSha256: hash, findings }),
};

/** The union of a status's answers, built once per status; only the literals differ from wait to wait. */
const byStatus = new Map<Status, z.ZodType>();

/** What may be answered in a status from outside the graph. */
function answerableIn(status: Status): Action[] {
  return actionsIn(status).filter((action) => ACTION_RULES[action].external);
}

function answersOf(status: Status): z.ZodType {
  let schema = byStatus.get(status);
  if (!schema) {
    const options = answerableIn(status).flatMap((action) => ANSWERS[action] ?? []);
    schema = z.discriminatedUnion('action', options as unknown as [z.ZodObject, ...z.ZodObject[]]);
    byStatus.set(status, schema);
  }
  return schema;
}

/**
 * The schema of one wait. LangGraph writes its JSON form beside every interrupt, so that form names the literals and
 * the actions only; each action's own fields are checked by the refinement, which costs no bytes in the checkpoint.
 */
export function answerSchema(position: Position, complete: CompleteAnswer = (answer) => answer) {
  const answers = answersOf(position.status);
  return z.object({
    waitId: z.literal(waitIdOf(position)),
    inputVersion: z.literal(position.inputVersion),
    artifactSha256: z.literal(position.artifact?.sha256 ?? null),
    answer: z.looseObject({ action: z.enum(answerableIn(position.status)) }).superRefine((value, context) => {
      for (const { path, message } of problemsOf(position, answers, complete(value, context)))
        context.addIssue({ code: 'custom', path: [...path], message });
    }),
  });
}

interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** What keeps an answer from being taken in this position: its own fields, then who it is from. */
function problemsOf(position: Position, answers: z.ZodType, answer: unknown): readonly Problem[] {
  const parsed = answers.safeParse(answer);
  if (!parsed.success) return parsed.error.issues;
  if (partiesFit(position, parsed.data as GivenAnswer)) return [];
  const message =
    'the answer is not from somebody who may give it (holder only, and nobody judges their own work)';
  return [{ path: ['by'], message }];
}

/** A resume as `answerSchema` takes it. */
export interface AddressedAnswer {
  readonly waitId: string;
  readonly inputVersion: number;
  readonly artifactSha256: string | null;
  readonly answer: { readonly action: Action };
}

/**
 * The same rule as `answerSchema`, for an answer that was built here: no schema is made for it.
 * @throws Error with every reason why this wait does not take it
 */
export function requireFits(position: Position, given: AddressedAnswer): void {
  const problems: Problem[] = [];
  const same = (path: string, value: unknown, expected: unknown): void => {
    if (value !== expected) problems.push({ path: [path], message: `must be ${JSON.stringify(expected)}` });
  };
  same('waitId', given.waitId, waitIdOf(position));
  same('inputVersion', given.inputVersion, position.inputVersion);
  same('artifactSha256', given.artifactSha256, position.artifact?.sha256 ?? null);
  problems.push(...problemsOf(position, answersOf(position.status), given.answer));
  if (problems.length === 0) return;
  const reasons = problems.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
  throw new Error(`the answer does not fit the wait in ${position.status}: ${reasons.join('; ')}`);
}

/** The JSON form of `answerSchema`, which LangGraph writes beside an interrupt. Only its literals differ within a status. */
export function answerSchemaJson(position: Position): Readonly<Record<string, unknown>> {
  const sha256 = position.artifact?.sha256 ?? null;
  const key = `${position.status} ${sha256 === null ? 'without' : 'with'} artifact`;
  let form = jsonForms.get(key);
  if (!form) {
    const schema = answerSchema(position);
    // LangGraph closes every object before it writes its form. (Its own converter loads far more than zod's.)
    const closed = schema.extend({ answer: schema.shape.answer.strict() }).strict();
    form = z.toJSONSchema(closed) as unknown as JsonForm;
    jsonForms.set(key, form);
  }
  const { waitId, inputVersion, artifactSha256, ...rest } = form.properties;
  return {
    ...form,
    properties: {
      waitId: { ...waitId, const: waitIdOf(position) },
      inputVersion: { ...inputVersion, const: position.inputVersion },
      artifactSha256: { ...artifactSha256, const: sha256 },
      ...rest,
    },
  };
}

interface JsonForm {
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const jsonForms = new Map<string, JsonForm>();

/** Works out what an answer leaves to be worked out (a hash from content), and reports what cannot be. Pure; never throws. */
export type CompleteAnswer = (
  answer: { readonly action: string; readonly [field: string]: unknown },
  report: {
    addIssue(issue: { code: 'custom'; path: PropertyKey[]; message: string }): void;
  },
) => { readonly action: string; readonly [field: string]: unknown };

interface GivenAnswer {
  readonly action: Action;
  readonly by: Party;
}

function partiesFit(position: Position, answer: GivenAnswer): boolean {
  const rules = ACTION_RULES[answer.action];
  if (rules.holderOnly && position.holder && position.holder.principal !== answer.by.principal) return false;
  return !(rules.separate && position.author && isSameParty(position.author, answer.by));
}
