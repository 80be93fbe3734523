import type { EventView, ReceiptView } from '../../operations/views.js';

/** One thing that happened to a work, as the timeline shows it. */
export interface TimelineEntry {
  readonly seq: number;
  readonly at: string;
  readonly by: string;
  /** The action, or the event's own type where it was no submission. */
  readonly action: string;
  readonly outcome: 'accepted' | 'refused' | 'reference' | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly code: string | null;
  /** What somebody said about it: a reason, a finding, a detail. Hostile text. */
  readonly words: readonly string[];
  readonly evidenceRef: string | null;
  readonly artifactSha256: string | null;
  /** Who really sent it, where it was sent on somebody's behalf. */
  readonly onBehalf: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * The events of a work as entries, newest first. An accepted submission and the move that followed it are one entry.
 */
export function timelineEntries(
  events: readonly EventView[],
  receipts: readonly ReceiptView[],
): TimelineEntry[] {
  const byId = new Map(receipts.map((receipt) => [receipt.receiptId, receipt]));
  const accepted = new Set(
    events.filter((event) => event.type === 'submission.accepted').map((event) => event.data['receiptId']),
  );
  const moves = new Map(
    events.filter((event) => event.type === 'work.moved').map((event) => [event.data['receiptId'], event]),
  );
  const moved = statusMoves(events);
  return events
    .filter((event) => event.type !== 'thread.started')
    .filter((event) => event.type !== 'work.moved' || !accepted.has(event.data['receiptId']))
    .map((event) => {
      const receiptId = event.data['receiptId'];
      const receipt = typeof receiptId === 'string' ? byId.get(receiptId) : undefined;
      const move = event.type === 'submission.accepted' ? moves.get(receiptId) : event;
      return entryOf(event, move, receipt, moved.get((move ?? event).seq));
    })
    .toReversed();
}

/**
 * Which events took the work from one status to another, by their place in its history. Read from the changes, which
 * every event has, whether an answer was applied with its acceptance or after it.
 */
export function statusMoves(
  events: readonly EventView[],
): Map<number, { readonly from: string | null; readonly to: string }> {
  const moves = new Map<number, { from: string | null; to: string }>();
  let status: string | null = null;
  for (const event of events) {
    const to = text(event.changes['status']);
    if (to === null || to === status) continue;
    moves.set(event.seq, { from: status, to });
    status = to;
  }
  return moves;
}

function entryOf(
  event: EventView,
  move: EventView | undefined,
  receipt: ReceiptView | undefined,
  moved: { readonly from: string | null; readonly to: string } | undefined,
): TimelineEntry {
  const data = { ...move?.data, ...event.data };
  const said = receipt?.submission ?? {};
  return {
    seq: event.seq,
    at: event.at,
    by: receipt?.principal ?? event.by,
    action: text(data['action']) ?? event.type,
    outcome: receipt?.outcome ?? null,
    from: moved?.from ?? null,
    to: moved?.to ?? null,
    code: text(data['code']),
    words: [
      ...[said['reason'], data['reason'], said['note'], said['notes'], data['text'], data['detail']].map(
        text,
      ),
      ...findingsOf(said['findings']),
    ].filter((word, index, all): word is string => word !== null && all.indexOf(word) === index),
    evidenceRef: text(said['evidenceRef']) ?? text(data['evidenceRef']),
    artifactSha256: receipt?.artifactSha256 ?? text(data['artifactSha256']),
    onBehalf: viaOf(receipt?.onBehalf),
    details: data,
  };
}

function findingsOf(findings: unknown): (string | null)[] {
  if (!Array.isArray(findings)) return [];
  return findings.map((finding) => text((finding as { message?: unknown } | null)?.message));
}

function viaOf(onBehalf: unknown): string | null {
  return typeof onBehalf === 'object' && onBehalf !== null
    ? text((onBehalf as { principal?: unknown }).principal)
    : null;
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
