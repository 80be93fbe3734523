import type { Door, Signalbox } from '../../src/index.js';

/** What a hostile worker would write wherever it may write. */
export const HOSTILE =
  '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>"\'><svg onload=window.hacked=1>';

export const LONG_JAPANESE_TITLE =
  '株式会社北東京総合印刷機材サービスセンターからの二〇二五年度第三四半期分オフセット印刷用紙および関連消耗品一式の請求書内容確認のお願い(再送・訂正版を含む)';

export interface Seeds {
  readonly owner: Door;
  readonly worker: Door;
  readonly reviewer: Door;
}

/** The principals that the cases need. */
export async function seedPeople(box: Signalbox): Promise<Seeds> {
  const owner = box.as('owner');
  await owner.putPrincipal({ name: 'wanda', roles: ['worker'] });
  await owner.putPrincipal({ name: 'rita', roles: ['reviewer'] });
  await owner.putPrincipal({ name: 'oskar', roles: ['operator', 'worker'] });
  return { owner, worker: box.as('wanda'), reviewer: box.as('rita') };
}

export interface Seed {
  readonly workId: string;
  readonly title?: string;
  readonly text?: string;
  readonly mediaType?: string;
  readonly dueAt?: string;
  readonly notes?: string;
}

/** A generic work up to IN_PROGRESS, held by wanda. */
export async function started({ owner, worker }: Seeds, seed: Seed): Promise<string> {
  const { workId, title = workId, dueAt } = seed;
  await owner.register({ workId, title, input: { say: workId }, ...(dueAt ? { dueAt } : {}) });
  await owner.promote(workId, { reason: 'is real' });
  const { claim } = await worker.claim(workId, {});
  return claim.interruptId ?? '';
}

/** … up to VP_REVIEW. Gives the artifact's hash. */
export async function submitted(seeds: Seeds, seed: Seed): Promise<string> {
  const interruptId = await started(seeds, seed);
  return await handIn(seeds, seed, interruptId);
}

export async function handIn({ worker }: Seeds, seed: Seed, interruptId: string): Promise<string> {
  const { workId, text = '# Result\n\nAll is *well*.', mediaType = 'text/markdown', notes } = seed;
  const { sha256 } = await worker.putArtifact(text, mediaType);
  await worker.submit(workId, {
    interruptId,
    inputVersion: 1,
    artifact: { sha256 },
    ...(notes ? { notes } : {}),
  });
  return sha256;
}

/** … up to OWNER_GATE, because the reviewer would not decide alone. Gives the artifact's hash. */
export async function gated(
  seeds: Seeds,
  seed: Seed,
  finding = 'The owner has to look at this.',
): Promise<string> {
  const artifactSha256 = await submitted(seeds, seed);
  const { wait } = await seeds.reviewer.show(seed.workId);
  await seeds.reviewer.review(seed.workId, {
    interruptId: wait?.interruptId,
    artifactSha256,
    verdict: 'ESCALATE',
    evidenceRef: 'https://ci.example/run/17',
    findings: [finding],
  });
  return artifactSha256;
}

/** An invoice at the gate for its payment, after one round of rework. */
export async function invoiceAtGate(seeds: Seeds, number: string, title?: string): Promise<string> {
  const { owner, worker, reviewer } = seeds;
  const { work } = await owner.register({
    kind: 'invoice-check',
    ...(title ? { title } : {}),
    dueAt: new Date(Date.now() + 3 * 86_400_000).toISOString(),
    input: {
      issuer: 'Nordlicht Papier GmbH',
      invoiceNumber: number,
      period: '2025-03',
      currency: 'EUR',
      total: 2505,
      lines: [
        { description: 'Offset paper 90 g/m², A3', quantity: 120, unitPrice: 14.5, amount: 1740 },
        { description: 'Cover board 300 g/m², A3', quantity: 36, unitPrice: 21.25, amount: 765 },
      ],
    },
  });
  const { workId } = work;
  await owner.promote(workId, { reason: 'arrived by mail' });
  for (const round of [1, 2]) {
    const { claim } = await worker.claim(workId, {});
    const report =
      round === 1
        ? { decision: 'discrepancies', checkedTotal: 2505, discrepancies: ['Delivery is not on the order.'] }
        : {
            decision: 'ok',
            checkedTotal: 2505,
            discrepancies: [],
            notes: 'Delivery was agreed by mail on 2 April.',
          };
    const { sha256 } = await worker.putArtifact(JSON.stringify(report), 'application/json');
    const { work: at } = await worker.submit(workId, {
      interruptId: claim.interruptId,
      inputVersion: 1,
      artifact: { sha256 },
    });
    await reviewer.review(workId, {
      interruptId: at.wait?.interruptId,
      artifactSha256: sha256,
      verdict: round === 1 ? 'REWORK' : 'PASS',
      evidenceRef: 'mail:2025-04-02/14',
      ...(round === 1 ? { findings: ['The delivery was agreed; see the mail of 2 April.'] } : {}),
    });
  }
  return workId;
}
