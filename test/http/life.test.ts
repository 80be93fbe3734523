import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../src/client.js';
import { serving, type Serving } from './serving.js';

let here: Serving;
beforeAll(async () => {
  here = await serving();
});
afterAll(() => here.close());

describe('the life of a work over HTTP', () => {
  it('goes from registration to DONE by plain requests, each answer as the contract says', async () => {
    const worker = await here.tokenOf('wanda', ['worker']);
    const reviewer = await here.tokenOf('rita', ['reviewer']);
    const registered = await here.call('POST', '/v1/works', {
      token: worker,
      json: { kind: 'generic', workId: 'life-1', input: { say: 'hello' }, title: 'A life' },
    });
    expect([registered.status, registered.body.outcome]).toEqual([201, 'created']);
    expect(registered.body.work).toMatchObject({ workId: 'life-1', status: 'DISCOVERED', round: 1 });
    const again = await here.call('POST', '/v1/works', {
      token: worker,
      json: { workId: 'life-1', input: { say: 'hello' } },
    });
    expect([again.status, again.body.outcome]).toEqual([200, 'existing']);

    const promoted = await here.call('POST', '/v1/works/life-1/promote', { json: { reason: 'is real' } });
    expect([promoted.status, promoted.body.work.status]).toEqual([200, 'READY']);
    const claimed = await here.call('POST', '/v1/claims', { token: worker, json: {} });
    expect(claimed.status).toBe(200);
    const { claim } = claimed.body;
    expect(claim).toMatchObject({ workId: 'life-1', inputVersion: 1, input: { say: 'hello' }, round: 1 });
    expect((await here.call('POST', '/v1/claims', { token: worker })).status).toBe(204);

    const { interruptId } = claim;
    const renewed = await here.call('POST', '/v1/works/life-1/renew', {
      token: worker,
      json: { interruptId, progress: { done: 1, total: 2 } },
    });
    expect(Date.parse(renewed.body.leaseExpiresAt)).toBeGreaterThan(Date.now());
    const stored = await here.call('PUT', '/v1/artifacts', {
      token: worker,
      raw: 'the result',
      headers: { 'content-type': 'text/plain' },
    });
    expect(stored.status).toBe(201);
    expect(stored.body).toMatchObject({ size: 10, mediaType: 'text/plain' });
    const { sha256 } = stored.body;
    const submitted = await here.call('POST', '/v1/works/life-1/submit', {
      token: worker,
      json: { interruptId, inputVersion: 1, artifact: { sha256 } },
    });
    expect(submitted.status).toBe(200);
    expect(submitted.body.receipt).toMatchObject({ outcome: 'accepted', applied: true });
    expect(submitted.body.work.status).toBe('VP_REVIEW');

    const reviewed = await here.call('POST', '/v1/works/life-1/review', {
      token: reviewer,
      json: {
        interruptId: submitted.body.work.wait.interruptId,
        artifactSha256: sha256,
        verdict: 'PASS',
        evidenceRef: 'log:1',
      },
    });
    expect(reviewed.body.work.status).toBe('MERGE_READY');
    const completed = await here.call('POST', '/v1/works/life-1/complete', {
      json: {
        interruptId: reviewed.body.work.wait.interruptId,
        artifactSha256: sha256,
        outcome: 'merged',
        externalId: 'out-1',
        evidenceRef: 'log:2',
      },
    });
    expect([completed.status, completed.body.work.status]).toEqual([200, 'DONE']);

    const shown = await here.call('GET', '/v1/works/life-1');
    expect(shown.body).toMatchObject({ status: 'DONE', externalId: 'out-1', input: { say: 'hello' } });
    const history = await here.call('GET', '/v1/works/life-1/history');
    expect(history.body.total).toBe(history.body.items.length);
    expect(history.body.items[0]).toMatchObject({ seq: 1, by: 'wanda' });
    const page = await here.call('GET', '/v1/works/life-1/history?limit=2');
    expect(page.body.items).toEqual(history.body.items.slice(0, 2));
    const second = await here.call('GET', `/v1/works/life-1/history?limit=2&cursor=${page.body.nextCursor}`);
    expect(second.body.items).toEqual(history.body.items.slice(2, 4));
    const bytes = await here.call('GET', `/v1/artifacts/${sha256}`, { token: reviewer });
    expect(bytes.text).toBe('the result');
    expect(bytes.headers.get('content-type')).toBe('text/plain');
  });

  it('goes the same way through the client, whose answers are those of the door', async () => {
    const owner = connect({ url: here.url, token: here.ownerToken });
    const worker = await here.as('wanda');
    const reviewer = await here.as('rita');
    await worker.register({ workId: 'life-2', input: [1, 2] });
    await owner.promote('life-2', { reason: 'is real' });
    const { claim } = await worker.claim('life-2', {});
    const { sha256 } = await worker.putArtifact(new TextEncoder().encode('bytes'), 'text/plain');
    const submitted = await worker.submit('life-2', {
      interruptId: claim.interruptId,
      inputVersion: 1,
      artifact: { sha256 },
    });
    const reviewed = await reviewer.review('life-2', {
      interruptId: submitted.work.wait?.interruptId,
      artifactSha256: sha256,
      verdict: 'REWORK',
      evidenceRef: 'log:3',
      findings: ['say it better'],
    });
    expect(reviewed.work).toMatchObject({ status: 'REWORK', round: 2 });
    const inside = here.box.as('owner');
    expect(await owner.show('life-2')).toEqual(await inside.show('life-2'));
    expect(await owner.history('life-2')).toEqual(await inside.history('life-2'));
    expect(await owner.receipts('life-2')).toEqual(await inside.receipts('life-2'));
    expect(await owner.versions('life-2')).toEqual(await inside.versions('life-2'));
    expect(await owner.handoffs('life-2')).toEqual(await inside.handoffs('life-2'));
    expect(await owner.kinds()).toEqual(await inside.kinds());
    expect(await owner.list({ status: ['REWORK'], limit: 1 })).toEqual(
      await inside.list({ status: ['REWORK'], limit: 1 }),
    );
    expect(await owner.listPrincipals()).toEqual(await inside.listPrincipals());
    expect(await owner.listTokens()).toEqual(await inside.listTokens());
    const artifact = await owner.getArtifact(sha256);
    expect(new TextDecoder().decode(artifact.bytes)).toBe('bytes');
    expect(artifact).toMatchObject({ sha256, size: 5, mediaType: 'text/plain', storedBy: 'wanda' });
  });
});
