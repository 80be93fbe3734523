import { describe, expect, it } from 'vitest';
import { CASE_KIND } from '../../src/core/case.js';
import { ALWAYS_OWNER_ONLY } from '../../src/core/kind.js';
import { identityOf } from '../../src/core/identity.js';
import { codeChange } from '../../src/kinds/code-change.js';
import { generic } from '../../src/kinds/generic.js';
import { invoiceCheck } from '../../src/kinds/invoice-check.js';
import { SHIPPED_KINDS } from '../../src/kinds/load-config.js';
import { loadSampleInvoices } from '../../src/kinds/samples.js';

const invoice = {
  issuer: 'A',
  invoiceNumber: '1',
  period: '2025-03',
  currency: 'EUR',
  total: 3,
  lines: [{ description: 'x', amount: 3 }],
};
const paths = (issues: readonly { path: string }[]) => issues.map((issue) => issue.path);

describe('every shipped kind but the case', () => {
  const reviewed = SHIPPED_KINDS.filter((kind) => kind.name !== CASE_KIND);
  it.each(reviewed.map((kind) => [kind.name, kind] as const))(
    '%s keeps its review, and leaves out observing and the asset gate',
    (_name, kind) => {
      expect(kind.skips.toSorted()).toEqual(['ASSET_GATE', 'OBSERVING']);
      expect(kind.ownerOnly).toEqual(expect.arrayContaining([...ALWAYS_OWNER_ONLY]));
    },
  );
});

describe('a case', () => {
  it('leaves out its review, because its decision is a judgement already', () => {
    const kind = SHIPPED_KINDS.find(({ name }) => name === CASE_KIND);
    expect(kind?.skips.toSorted()).toEqual(['ASSET_GATE', 'OBSERVING', 'VP_REVIEW']);
  });
});

describe('generic', () => {
  it('is known by its workId and takes any input and artifact', () => {
    expect(generic).toMatchObject({
      identity: [],
      completion: 'complete',
      effects: [],
      artifactCheck: null,
      requiresHeadSha: false,
    });
    expect([null, 1, 'x', [], {}].flatMap((value) => generic.inputCheck(value))).toEqual([]);
  });
});

describe('invoice-check', () => {
  it('has issuer, number and period as identity, and paying as the owner’s', () => {
    expect(invoiceCheck.identity).toEqual(['/issuer', '/invoiceNumber', '/period']);
    expect(invoiceCheck).toMatchObject({ completion: 'pay', effects: ['pay'] });
    expect(invoiceCheck.ownerOnly).toContain('pay');
  });

  it('takes more fields than it knows, and negative amounts', () => {
    expect(
      invoiceCheck.inputCheck({
        ...invoice,
        total: -3,
        extra: { deep: 1 },
        lines: [{ description: 'x', amount: -3, tax: 1 }],
      }),
    ).toEqual([]);
  });

  it('names each field that is missing or wrong', () => {
    expect(
      paths(
        invoiceCheck.inputCheck({ issuer: ' ', currency: 'euro', total: '3', lines: [{ description: 'x' }] }),
      ).toSorted(),
    ).toEqual(['/currency', '/invoiceNumber', '/issuer', '/lines/0/amount', '/period', '/total']);
  });

  it('wants a decision and a checked total in the artifact', () => {
    const check = invoiceCheck.artifactCheck ?? (() => []);
    expect(check({ decision: 'ok', checkedTotal: 3, discrepancies: [] })).toEqual([]);
    expect(
      check({
        decision: 'discrepancies',
        checkedTotal: 3,
        discrepancies: ['total', { path: '/total' }],
        notes: 'n',
      }),
    ).toEqual([]);
    expect(paths(check({ decision: 'fine', checkedTotal: '3' })).toSorted()).toEqual([
      '/checkedTotal',
      '/decision',
      '/discrepancies',
    ]);
  });

  it('takes no "ok" above a list of faults', () => {
    expect(
      paths(
        invoiceCheck.artifactCheck?.({ decision: 'ok', checkedTotal: 3, discrepancies: ['total'] }) ?? [],
      ),
    ).toEqual(['/discrepancies']);
  });
});

describe('code-change', () => {
  it('wants a commit and leaves merging open, publishing to the owner', () => {
    expect(codeChange).toMatchObject({
      requiresHeadSha: true,
      completion: 'merge',
      effects: ['merge'],
      identity: ['/repository', '/issueNumber'],
    });
    expect(codeChange.ownerOnly).toContain('publish');
    expect(codeChange.ownerOnly).not.toContain('merge');
  });

  it.each([42, 'bd-12'])('takes the issue number %s', (issueNumber) => {
    expect(codeChange.inputCheck({ repository: 'a/b', issueNumber })).toEqual([]);
  });

  it('refuses digits in quotes, which would be a second identity of the same issue', () => {
    const identity = (issueNumber: unknown) =>
      identityOf(codeChange, { repository: 'a/b', issueNumber }, 'w');
    expect(identity(42)).not.toEqual(identity('42'));
    expect(paths(codeChange.inputCheck({ repository: 'a/b', issueNumber: '42' }))).toEqual(['/issueNumber']);
  });

  it('refuses a relative repository path, which each process would read differently', () => {
    expect(
      paths(codeChange.inputCheck({ repository: 'a/b', issueNumber: 1, repositoryPath: 'repo' })),
    ).toEqual(['/repositoryPath']);
  });
});

describe('the sample invoices', () => {
  const key = (input: unknown) => {
    const identity = identityOf(invoiceCheck, input, 'w');
    return identity.ok ? identity.sha256 : identity.missing;
  };

  it('are six, and each fits the kind', async () => {
    const samples = await loadSampleInvoices();
    expect(samples).toHaveLength(6);
    expect(
      samples
        .flatMap(({ kind, input }) => [
          kind === 'invoice-check' ? [] : ['kind'],
          invoiceCheck.inputCheck(input),
        ])
        .flat(),
    ).toEqual([]);
  });

  it('have one correction, of an earlier one with the same identity and other content', async () => {
    const samples = await loadSampleInvoices();
    const at = samples.findIndex((sample) => sample.correction !== undefined);
    const earlier = samples.slice(0, at).filter((sample) => key(sample.input) === key(samples[at]?.input));
    expect(earlier).toHaveLength(1);
    expect(earlier[0]?.input).not.toEqual(samples[at]?.input);
    expect(new Set(samples.map((sample) => key(sample.input))).size).toBe(5);
  });

  it('have one wrong total and one credit note', async () => {
    const sums = (await loadSampleInvoices()).map(({ input }) => {
      const lines = input['lines'] as unknown as { amount: number }[];
      return { sum: lines.reduce((sum, line) => sum + line.amount, 0), total: input['total'] as number };
    });
    expect(sums.filter(({ sum, total }) => Math.abs(sum - total) > 0.005)).toHaveLength(1);
    expect(sums.filter(({ total }) => total < 0)).toHaveLength(1);
  });
});
