import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openSignalbox } from '../../src/index.js';

afterEach(() => {
  vi.useRealTimers();
});

describe('a clock that is set back and forth', () => {
  it('does not make an older checkpoint the head of a thread', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'signalbox-clock-'));
    const box = await openSignalbox({ dataDir });
    try {
      const owner = box.as('owner');
      await owner.putPrincipal({ name: 'worker', roles: ['worker'] });
      await owner.putPrincipal({ name: 'reviewer', roles: ['reviewer'] });
      // Only the date is fake: LangGraph makes checkpoint IDs from it, and takes the greatest for the newest.
      vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-06-01T12:00:00Z') });
      await owner.register({ workId: 'late', input: {} });
      vi.setSystemTime(Date.parse('2026-06-01T11:00:00Z'));
      await owner.promote('late', { reason: 'go' });
      const { claim } = await box.as('worker').claim('late', {});
      vi.setSystemTime(Date.parse('2026-06-01T11:00:01Z'));
      const artifact = await box.as('worker').putArtifact('{}', 'application/json');
      const submitted = await box.as('worker').submit('late', {
        interruptId: claim.interruptId,
        inputVersion: 1,
        artifact: { sha256: artifact.sha256 },
      });
      expect(submitted.work.status).toBe('VP_REVIEW');
      const state = await (await box.graph()).getState({ configurable: { thread_id: claim.threadId } });
      expect(state.tasks[0]?.interrupts[0]?.id).toBe(submitted.work.wait?.interruptId);
    } finally {
      await box.close();
      await rm(dataDir, { recursive: true });
    }
  });
});
