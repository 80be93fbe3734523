import { openSignalbox } from '../src/index.js';
import type { Contestant, Lifecycle } from './life.js';

/** Register, promote, claim, submit 1 KB, validate, review PASS, complete: every answer guarded, receipted and synced. */
export const signalbox = ({ runner }: { runner: 'step' | 'langgraph' }): Contestant => ({
  async open({ folder, databaseUrl }) {
    const box = await openSignalbox({
      dataDir: folder,
      runner,
      ...(databaseUrl === null ? {} : { databaseUrl }),
    });
    const owner = box.as('owner');
    await owner.putPrincipal({ name: 'worker', roles: ['worker'] });
    await owner.putPrincipal({ name: 'reviewer', roles: ['reviewer'] });
    const worker = box.as('worker');
    const reviewer = box.as('reviewer');
    const life: Lifecycle = async (id, payload, timed) => {
      const { sha256 } = await worker.putArtifact(JSON.stringify(payload), 'application/json');
      await owner.register({ workId: id, input: { id } });
      await owner.promote(id, { reason: 'bench' });
      const { claim } = await worker.claim(id, {});
      const submission = { interruptId: claim.interruptId, inputVersion: 1, artifact: { sha256 } };
      // Acknowledged means durable; what follows is waited for separately, as the bare graph's invoke does both.
      await timed('submit', () => worker.submit(id, submission, { wait_ms: 0 }));
      await box.desk.appliers.apply('default', id);
      const { wait, artifactSha256 } = await worker.show(id);
      const verdict = {
        interruptId: wait?.interruptId,
        artifactSha256,
        verdict: 'PASS',
        evidenceRef: 'bench',
      };
      const { work } = await timed('review', () => reviewer.review(id, verdict));
      const report = {
        interruptId: work.wait?.interruptId,
        artifactSha256,
        outcome: 'merged',
        externalId: 'x',
        evidenceRef: 'bench',
      };
      await worker.complete(id, report);
    };
    return { life, close: () => box.close() };
  },
});
