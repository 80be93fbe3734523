import { CASE_KIND, ONE_CASE, classificationPolicy, targetOf, type Origin } from '../../core/case.js';
import { canonicalJson, contentSha256 } from '../../core/identity.js';
import { keptText } from '../../core/kept-text.js';
import { LIMITS } from '../../core/limits.js';
import { invalid } from '../../core/refusals.js';
import type { Role } from '../../core/work.js';
import type { Desk } from '../desk.js';
import { prepareAny, type Prepared } from '../prepare.js';
import { registerRequest } from '../requests.js';
import { evidenceItem, type EvidenceItem, type ExceptionRequest } from './requests.js';

/** A piece of evidence, named by the hash of what it says. Times in ms. */
export interface Evidence {
  readonly sha256: string;
  readonly label: string | null;
  readonly ref: string | null;
  readonly body: string | null;
  readonly access: readonly Role[];
  readonly retainUntil_ms: number;
}

export interface PreparedCase {
  readonly work: Prepared;
  readonly request: ExceptionRequest;
  readonly origin: Origin;
  readonly occurrence: string;
  readonly occurredAt_ms: number;
  readonly team: string;
  readonly evidence: readonly Evidence[];
}

/** Who may read a body whose sender did not say: those who work here, and nobody who only looks. */
const WORKING: readonly Role[] = ['worker', 'reviewer', 'operator', 'owner'];

/**
 * Everything about an arriving exception that needs no database. The time of occurrence is kept beside the content,
 * so that the same thing happening again is not a correction.
 * @throws Refusal INVALID, also for a call-back that this project does not allow
 */
export function prepareCase(desk: Desk, request: ExceptionRequest): PreparedCase {
  const { origin, classification, occurredAt } = request;
  if (targetOf(desk.cases, origin) === null)
    throw invalid('/origin/callbackUrl', 'is not among the call-backs that this desk allows');
  const policy = classificationPolicy(desk.cases, classification);
  const occurredAt_ms = Date.parse(occurredAt);
  const occurrence =
    policy.recurrence === 'new_occurrence' ? new Date(occurredAt_ms).toISOString() : ONE_CASE;
  const evidence = evidenceFrom(desk, itemsOf(request.evidence));
  const due_ms =
    request.dueAt === undefined
      ? policy.respond_ms === null
        ? null
        : occurredAt_ms + policy.respond_ms
      : Date.parse(request.dueAt);
  const input = {
    exceptionId: request.exceptionId,
    origin,
    occurrence,
    classification,
    impact: request.impact,
    urgency: request.urgency,
    ...(request.summary === undefined ? {} : { summary: request.summary }),
    ...(request.dueAt === undefined ? {} : { dueAt: request.dueAt }),
    ...(request.operation === undefined ? {} : { operation: request.operation }),
    evidence: evidence.map(({ sha256, label, ref }) => ({ sha256, label, ref })),
    doneSoFar: request.doneSoFar ?? null,
    externalIds: request.externalIds ?? null,
  };
  const title = request.summary ?? `${classification} ${request.exceptionId}`;
  const work = prepareAny(
    desk,
    registerRequest.parse({
      kind: CASE_KIND,
      title: keptText(title, LIMITS.title_chars),
      input: JSON.parse(canonicalJson(input)) as unknown,
      source: { system: origin.system, exceptionId: request.exceptionId },
      impact: request.impact,
      urgency: request.urgency,
      ...(due_ms === null ? {} : { dueAt: new Date(due_ms).toISOString() }),
    }),
  );
  const team = request.team ?? policy.team ?? desk.cases.defaultTeam;
  return { work, request, origin, occurrence, occurredAt_ms, team, evidence };
}

function itemsOf(evidence: ExceptionRequest['evidence']): EvidenceItem[] {
  if (evidence === undefined || evidence === null) return [];
  const items = evidenceItem.array().safeParse(evidence);
  return items.success ? items.data : [{ body: evidence as EvidenceItem['body'] }];
}

export function evidenceFrom(desk: Desk, items: readonly EvidenceItem[]): Evidence[] {
  const now_ms = desk.now_ms();
  const byHash = new Map<string, Evidence>();
  for (const { label = null, ref = null, body = null, retainUntil, access = WORKING } of items) {
    const sha256 = contentSha256({ label, ref, body });
    byHash.set(sha256, {
      sha256,
      label,
      ref,
      body: body === null ? null : canonicalJson(body),
      access,
      retainUntil_ms:
        retainUntil === undefined ? now_ms + desk.cases.evidenceRetention_ms : Date.parse(retainUntil),
    });
  }
  return [...byHash.values()];
}
