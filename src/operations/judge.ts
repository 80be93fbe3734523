import type { Authenticated } from '../gates/authorization.js';
import type { Submission } from '../core/submission.js';
import { answerWait, type Answered, type CallOptions } from './answer-wait.js';
import { requireApproval } from './approval.js';
import { endQuestion } from './cases/question.js';
import { kindNamed, type Desk } from './desk.js';
import { refuseOtherMakers } from './makers.js';
import {
  assetRequest,
  completeRequest,
  escalateRequest,
  moveRequest,
  observeRequest,
  parseRequest,
  reviewRequest,
} from './requests.js';
import { receiptView, workView, type ReceiptView, type WorkView } from './views.js';

export interface Judged {
  readonly receipt: ReceiptView;
  readonly work: WorkView;
  readonly replayed: boolean;
}

type Verb = (
  desk: Desk,
  who: Authenticated,
  workId: string,
  body: unknown,
  options?: CallOptions,
) => Promise<Judged>;

export function judged({ receipt, work, replayed }: Answered): Judged {
  return { receipt: receiptView(receipt), work: workView(work), replayed };
}

/** A verb whose whole work is its answer: types checked here, everything else by the guard. */
const verb =
  (toSubmission: (body: unknown) => Submission): Verb =>
  async (desk, who, workId, body, options = {}) =>
    judged(await answerWait(desk, who, workId, toSubmission(body), options));

/** VP_REVIEW: PASS, REWORK or ESCALATE on exactly the artifact the checkpoint holds, with evidence. */
export const review: Verb = async (desk, who, workId, body, options = {}) =>
  judged(
    await answerWait(desk, who, workId, { action: 'review', ...parseRequest(reviewRequest, body) }, options, {
      *resolve(_facts, row, caller) {
        yield* refuseOtherMakers(row, caller);
        return {};
      },
    }),
  );

/** MERGE_READY: what was done outside, with its external ID. */
export const complete: Verb = async (desk, who, workId, body, options = {}) => {
  const request = parseRequest(completeRequest, body);
  const answered = await answerWait(desk, who, workId, { action: 'complete', ...request }, options, {
    *resolve(_facts, row) {
      yield* [];
      // Another action may have been put before the owner since; that voided the approval of this one (I7).
      if (request.outcome === 'merged') requireApproval(desk, row, kindNamed(desk, row.kind).completion);
      return {};
    },
  });
  return judged(answered);
};

/** To the gate: one named action is put before the owner, which voids whatever was approved before. */
export const escalate = verb((body) => {
  const { action: gateAction, ...rest } = parseRequest(escalateRequest, body);
  return { action: 'escalate', gateAction, ...rest };
});

/** OBSERVING: how it went. */
export const observe = verb((body) => ({ action: 'observe', ...parseRequest(observeRequest, body) }));

/** ASSET_GATE: the record that keeps the result findable. */
export const asset = verb((body) => ({ action: 'asset', ...parseRequest(assetRequest, body) }));

const move = (action: 'promote' | 'hold' | 'resume' | 'block') =>
  verb((body) => ({ action, ...parseRequest(moveRequest, body ?? {}) }));

/** DISCOVERED to READY: somebody says that this is work. */
export const promote = move('promote');
export const hold = move('hold');
export const resume = move('resume');
export const block = move('block');
/** Ends a wait outside, and with it what a case had asked for. */
const leave =
  (action: 'unblock' | 'cancel'): Verb =>
  async (desk, who, workId, body, options = {}) =>
    judged(
      await answerWait(desk, who, workId, { action, ...parseRequest(moveRequest, body ?? {}) }, options, {
        *onAccept(row) {
          yield* endQuestion(row);
          return {};
        },
      }),
    );

export const unblock = leave('unblock');
export const cancel = leave('cancel');
