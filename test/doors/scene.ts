import type { Door } from '../../src/index.js';
import type { Serving } from '../http/serving.js';

/** A desk whose time passes only when a case says so. */
export interface Scene {
  readonly here: Serving;
  later(ms: number): void;
}

export const UNKNOWN_ID = 'f'.repeat(32);
export const UNKNOWN_SHA256 = '0'.repeat(64);
export const MINUTE_MS = 60_000;

export const as = (scene: Scene, name: string): Door => scene.here.box.as(name);
export const owner = (scene: Scene): Door => as(scene, 'owner');

export async function wait(scene: Scene, workId: string): Promise<string> {
  return (await owner(scene).show(workId)).wait?.interruptId ?? '';
}
export async function ready(scene: Scene, workId: string, blockedBy?: string[]): Promise<string> {
  await owner(scene).register({ workId, input: { n: 1 }, ...(blockedBy ? { blockedBy } : {}) });
  await owner(scene).promote(workId, { reason: 'go' });
  return await wait(scene, workId);
}
export async function held(scene: Scene, workId: string): Promise<string> {
  await ready(scene, workId);
  return (await as(scene, 'ann').claim(workId, {})).claim.interruptId ?? '';
}
export async function result(scene: Scene, interruptId: string, who = 'ann', inputVersion = 1) {
  const { sha256 } = await as(scene, who).putArtifact(`by ${who}`, 'text/plain');
  return { interruptId, inputVersion, artifact: { sha256 } };
}
export async function inReview(scene: Scene, workId: string) {
  const first = await held(scene, workId);
  const { work } = await as(scene, 'ann').submit(workId, await result(scene, first));
  const verdict = {
    interruptId: work.wait?.interruptId ?? '',
    artifactSha256: work.artifactSha256 ?? '',
    evidenceRef: 'log:1',
  };
  return { first, verdict };
}
export async function passed(scene: Scene, workId: string) {
  const { verdict } = await inReview(scene, workId);
  const { work } = await as(scene, 'rita').review(workId, { ...verdict, verdict: 'PASS' });
  return { ...verdict, interruptId: work.wait?.interruptId ?? '', outcome: 'merged', externalId: 'out-1' };
}
export const correct = (scene: Scene, workId: string) =>
  owner(scene).register({ workId, input: { n: 2 }, correction: { reason: 'typo' } });
