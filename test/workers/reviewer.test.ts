import { afterEach, beforeEach, expect, it } from 'vitest';
import { deskBox, inReview, type DeskBox } from '../support/desk-box.js';
import { logOf, reviewOnce } from './working.js';

let desk: DeskBox;
beforeEach(async () => {
  desk = await deskBox();
});
afterEach(() => desk.close());

const rita = () => desk.as('rita');

it('exit code 0 is a PASS on the artifact that the command read, with its log as evidence', async () => {
  const work = await inReview(desk, 'good', '{"total":6}');
  const { count, events } = await reviewOnce(
    rita(),
    'echo "looked at $SIGNALBOX_WORK_ID"; grep -q total "$SIGNALBOX_ARTIFACT" && test -s "$SIGNALBOX_INPUT"',
  );
  expect(count.done).toBe(1);
  expect(events.at(-1)).toMatchObject({ event: 'reviewed', verdict: 'PASS', status: 'MERGE_READY' });
  const verdict = (await desk.owner.receipts('good')).find((receipt) => receipt.action === 'review');
  expect(verdict).toMatchObject({ principal: 'rita', artifactSha256: work.artifactSha256 });
  const log = await logOf(desk.owner, String(verdict?.submission?.['evidenceRef']));
  expect(log).toContain('looked at good');
});

it('exit code 1 is a REWORK, a finding a line, plain or as JSON', async () => {
  await inReview(desk, 'bad');
  const said = `echo "line 3 is missing"; echo '{"path":"/total","message":"is wrong"}'; echo "progress 1/1"; exit 1`;
  await reviewOnce(rita(), said);
  expect(await desk.owner.show('bad')).toMatchObject({
    status: 'REWORK',
    round: 2,
    findings: [
      { validator: 'review', path: '', message: 'line 3 is missing' },
      { validator: 'review', path: '/total', message: 'is wrong' },
    ],
  });
});

it('exit code 2 leaves the decision to the owner', async () => {
  await inReview(desk, 'unsure');
  await reviewOnce(rita(), 'exit 2');
  expect((await desk.owner.show('unsure')).status).toBe('OWNER_GATE');
});

it('any other end is no verdict: the work stays in review, and its reservation runs out by itself', async () => {
  const before = await inReview(desk, 'crashed');
  const { count, events } = await reviewOnce(rita(), 'kill -9 $$');
  expect(count.failed).toBe(1);
  expect(events.at(-1)).toMatchObject({ event: 'left', reason: expect.stringContaining('SIGKILL') });
  const after = await desk.owner.show('crashed');
  expect([after.status, after.wait?.interruptId]).toEqual(['VP_REVIEW', before.wait?.interruptId]);
});

it('own work is passed over, what another reserved is left alone, and the next is judged', async () => {
  await desk.owner.putPrincipal({ name: 'bea', roles: ['worker', 'reviewer'] });
  await desk.owner.register({ workId: 'own', input: 1 });
  await desk.owner.promote('own', { reason: 'go' });
  const bea = desk.as('bea');
  const { claim } = await bea.claim('own', {});
  const { sha256 } = await bea.putArtifact('mine', 'text/plain');
  await bea.submit('own', { interruptId: claim.interruptId, inputVersion: 1, artifact: { sha256 } });
  await inReview(desk, 'taken');
  await desk.as('rob').claim('taken', {});
  await inReview(desk, 'free');
  const { events } = await reviewOnce(bea, 'exit 0');
  expect(events.at(-1)).toMatchObject({ event: 'reviewed', workId: 'free' });
  expect((await desk.owner.show('own')).status).toBe('VP_REVIEW');
  expect((await desk.owner.receipts('taken')).filter((receipt) => receipt.principal === 'bea')).toEqual([]);
});
