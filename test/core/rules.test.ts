import { describe, expect, it } from 'vitest';
import { RULE_TOPICS, rulesOf, type RuleTopic } from '../../src/core/rules.js';
import { TRANSITIONS } from '../../src/core/transitions.js';
import { defineKind } from '../../src/kinds/define-kind.js';
import { SHIPPED_KINDS } from '../../src/kinds/load-config.js';

const payment = defineKind({
  name: 'payment',
  identity: ['issuer', 'number'],
  lease: { lease_ms: 90_000, leaseLimit_ms: 3_600_000, noProgress_ms: 600_000 },
  reviewLease_ms: 86_400_000,
  roundLimit: 2,
  leaseLossLimit: 4,
  approvals: 2,
  skips: ['ASSET_GATE'],
  completion: 'pay',
  ownerOnly: ['pay'],
  effects: ['pay'],
  autoNothingFound: true,
});

const ruleOf = (topic: RuleTopic, kind = payment): string =>
  rulesOf(kind).find(({ about }) => about === topic)?.rule ?? '';

describe('the rules that people read', () => {
  it.each(SHIPPED_KINDS)('say something of every topic, in whole sentences, for $name', (kind) => {
    const rules = rulesOf(kind);
    expect(rules.map(({ about }) => about)).toEqual([...RULE_TOPICS]);
    for (const { rule } of rules) expect(rule).toMatch(/^[A-Z].*\.$/);
  });

  it('name the fields that make two inputs the same work, or the workId', () => {
    expect(ruleOf('same_work')).toContain('/issuer and /number');
    expect(ruleOf('same_work', defineKind({ name: 'other' }))).toContain('workId');
  });

  it("carry the kind's own bounds", () => {
    expect(ruleOf('collision')).toContain('lasts 90 seconds');
    expect(ruleOf('collision')).toContain('1 hour in all');
    expect(ruleOf('collision')).toContain('after 10 minutes without progress');
    expect(ruleOf('collision')).toContain('for 1 day');
    expect(ruleOf('limits')).toContain('after round 2');
    expect(ruleOf('limits')).toContain('more than 4 times');
    expect(ruleOf('owner_actions')).toContain('2 different actors');
    expect(ruleOf('unknown_outcome')).toContain('of this kind: pay');
  });

  it('lead where the table leads', () => {
    for (const status of TRANSITIONS.IN_PROGRESS.next.investigate ?? [])
      expect(ruleOf('expiry')).toContain(status);
    for (const status of TRANSITIONS.IN_PROGRESS.next.handoff ?? [])
      expect(ruleOf('handoff')).toContain(status);
    for (const status of TRANSITIONS.OUTCOME_UNKNOWN.next.reconcile ?? [])
      expect(ruleOf('unknown_outcome')).toContain(status);
  });

  it('promise an automatic finding only where there is no effect outside', () => {
    expect(ruleOf('expiry')).toContain('never records nothing_found by itself');
    const quiet = defineKind({ name: 'quiet', autoNothingFound: true });
    expect(ruleOf('expiry', quiet)).toContain('records nothing_found by itself');
  });

  it('list the stages that this kind goes through, the gate where its completion is an owner’s', () => {
    expect(ruleOf('done')).toContain(
      'IN_PROGRESS, VALIDATION, VP_REVIEW, OWNER_GATE, MERGE_READY, OBSERVING (1 day).',
    );
    const short = defineKind({ name: 'short', skips: ['VP_REVIEW', 'OBSERVING', 'ASSET_GATE'] });
    expect(ruleOf('done', short)).toContain('IN_PROGRESS, VALIDATION, MERGE_READY.');
    expect(ruleOf('judgement', short)).toContain('no review');
  });
});
