import type { Json } from '../../core/kind.js';
import type { Authenticated } from '../../gates/authorization.js';
import { deliveriesOf, evidenceOf, findCase } from '../../ledger/case-rows.js';
import { effectsOf, findVersion } from '../../ledger/reads.js';
import type { Desk } from '../desk.js';
import { parseRequest } from '../requests.js';
import { effectView, timeOrNull, workView } from '../views.js';
import { caseSummary, deliveryView, evidenceView } from './case-views.js';
import { supersededEvidence } from './evidence-now.js';
import { caseNamed } from './find-case.js';
import { findCaseRequest } from './requests.js';

/** What was decided, as it is told to the origin. */
export interface Decision {
  readonly decisionId: string;
  readonly decision: string;
  readonly reason: string;
  readonly result: Json;
  readonly operations: readonly {
    readonly operationId: string;
    readonly outcome: string;
    readonly externalId?: string | undefined;
  }[];
  readonly externalIds: Json;
  readonly decidedBy: string;
  readonly decidedAt: string;
  readonly inputVersion: number;
}

/**
 * One case with everything its holder needs, and its decision with the operations that were done and their external
 * IDs: what a resumed AI reads before it acts, so that it does nothing twice.
 */
export async function showCase(desk: Desk, who: Authenticated, id: string, query?: unknown) {
  const which = parseRequest(findCaseRequest, query ?? {});
  return await desk.store.read(function* () {
    const { caller, row, kept } = yield* caseNamed(who, id, which);
    const version = yield* findVersion(row.tenant, row.work_id, row.input_version);
    const input = JSON.parse(version?.input ?? '{}') as Record<string, Json>;
    const current = (yield* findCase(row.tenant, row.work_id)) ?? kept;
    const summary = caseSummary(current);
    const evidence = yield* evidenceOf(row.tenant, row.work_id);
    const superseded = supersededEvidence(evidence, input);
    return {
      ...summary,
      // Completed by hand, the work knows it and the outbox does not.
      reflectedAt: summary.reflectedAt ?? (row.status === 'DONE' ? timeOrNull(row.updated_at) : null),
      work: workView(row),
      operation: input['operation'] ?? null,
      doneSoFar: input['doneSoFar'] ?? null,
      externalIds: input['externalIds'] ?? null,
      evidence: evidence.map((item) => ({
        ...evidenceView(item, caller.roles),
        /** False for what a newer arrival has brought anew under the same label. */
        current: !superseded.has(item.sha256),
      })),
      effects: (yield* effectsOf(row.tenant, row.work_id)).map(effectView),
      decision: current.decision === null ? null : (JSON.parse(current.decision) as Decision),
      deliveries: (yield* deliveriesOf(row.tenant, row.work_id)).map((delivery) =>
        deliveryView(delivery, current),
      ),
    };
  });
}
