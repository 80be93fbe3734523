import { Gauge, Registry } from 'prom-client';
import type { Standing, Trouble } from '../operations/basket/standing.js';

export interface Measured {
  readonly kinds: readonly Standing[];
  readonly trouble: Trouble;
}

type Measure = readonly [name: string, help: string, value: (row: Standing) => number | null];

const PER_KIND: readonly Measure[] = [
  ['signalbox_open_works', 'Works that are neither done nor cancelled', (row) => row.open],
  ['signalbox_unowned_works', 'Open works that nobody holds', (row) => row.unowned],
  ['signalbox_overdue_works', 'Open works past their deadline', (row) => row.overdue],
  [
    'signalbox_outcome_unknown_works',
    'Works of unknown outcome, and those whose holder has gone silent',
    (row) => row.outcomeUnknown,
  ],
  ['signalbox_not_applied_works', 'Works with an accepted answer not yet applied', (row) => row.notApplied],
  [
    'signalbox_not_reflected_cases',
    'Cases decided and not yet told to their origin',
    (row) => row.notReflected,
  ],
  ['signalbox_reassignments', 'Changes of holder of all works', (row) => row.reassignments],
  ['signalbox_rework_rounds', 'Rounds beyond the first of all works', (row) => row.reworkRounds],
  [
    'signalbox_dwell_p50_seconds',
    'Half of the works ended lately took no longer',
    (row) => seconds(row.dwellP50_ms),
  ],
  [
    'signalbox_dwell_p95_seconds',
    '95 % of the works ended lately took no longer',
    (row) => seconds(row.dwellP95_ms),
  ],
];

const OVERALL: readonly (readonly [name: string, help: string, of: keyof Trouble])[] = [
  ['signalbox_resume_failures', 'Failed applies of answers that are still not applied', 'resumeFailures'],
  ['signalbox_delivery_failures', 'Failed tries of decisions that are still not told', 'deliveryFailures'],
  ['signalbox_deliveries_pending', 'Decisions to tell', 'deliveriesPending'],
  [
    'signalbox_deliveries_unknown',
    'Decisions of which nobody knows whether they arrived',
    'deliveriesUnknown',
  ],
  ['signalbox_dead_letters', 'Open dead letters', 'deadLetters'],
];

function seconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000;
}

/** The numbers of one tenant in the text format that Prometheus reads; read from the record at every scrape. */
export async function metricsText({
  kinds,
  trouble,
}: Measured): Promise<{ text: string; contentType: string }> {
  const registry = new Registry();
  const registers = [registry];
  const byStatus = new Gauge({
    name: 'signalbox_works',
    help: 'Works by status',
    labelNames: ['kind', 'class', 'status'],
    registers,
  });
  for (const row of kinds)
    for (const [status, count] of Object.entries(row.counts)) byStatus.set({ ...labels(row), status }, count);
  for (const [name, help, value] of PER_KIND) {
    const gauge = new Gauge({ name, help, labelNames: ['kind', 'class'], registers });
    for (const row of kinds) {
      const number = value(row);
      if (number !== null) gauge.set(labels(row), number);
    }
  }
  const oldest = new Gauge({
    name: 'signalbox_oldest_open_work_timestamp_seconds',
    help: 'When the oldest open work arrived',
    labelNames: ['kind', 'class'],
    registers,
  });
  for (const row of kinds)
    if (row.oldestOpenAt !== null) oldest.set(labels(row), Date.parse(row.oldestOpenAt) / 1000);
  for (const [name, help, of] of OVERALL) new Gauge({ name, help, registers }).set(Number(trouble[of] ?? 0));
  return { text: await registry.metrics(), contentType: registry.contentType };
}

const labels = (row: Standing) => ({ kind: row.kind, class: row.class ?? '' });
