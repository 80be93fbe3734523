import { openSession, sessionOf } from '../../src/operations/sessions.js';
import type { Signalbox } from '../../src/index.js';

const PEOPLE = [
  { name: 'ann', roles: ['worker'] },
  { name: 'rita', roles: ['reviewer'] },
  { name: 'otto', roles: ['operator'] },
  { name: 'sam', roles: ['scout'] },
  { name: 'vic', roles: ['viewer'] },
  // Those that a generated request may name, disable or change.
  { name: 'spare', roles: ['worker'] },
] as const;

/** What a desk holds before it is fuzzed, for requests to name. */
export interface Furnished {
  readonly tokens: Readonly<Record<string, string>>;
  /** A browser's session of the owner. */
  readonly session: { readonly secret: string; readonly csrf: string };
  /** One work in each of many statuses. */
  readonly workIds: readonly string[];
  readonly threadIds: readonly string[];
  readonly artifacts: readonly string[];
}

/** Founds people, and brings works to many statuses, so that requests meet every kind of wait. */
export async function furnish(box: Signalbox): Promise<Furnished> {
  const owner = box.as('owner');
  const tokens: Record<string, string> = {};
  for (const { name, roles } of PEOPLE) {
    await owner.putPrincipal({ name, roles });
    tokens[name] = (await owner.createToken({ principal: name })).token;
  }
  tokens['owner'] = (await owner.createToken({ principal: 'owner' })).token;
  const artifacts: string[] = [];
  const stored = async (text: string): Promise<string> => {
    const { sha256 } = await box.as('ann').putArtifact(text, 'application/json');
    artifacts.push(sha256);
    return sha256;
  };
  const waitOf = async (workId: string) => (await owner.show(workId)).wait?.interruptId ?? '';
  const ready = async (workId: string): Promise<void> => {
    await owner.register({ workId, input: { of: workId }, priority: 5 });
    await owner.promote(workId, { interruptId: await waitOf(workId), reason: 'go' });
  };
  const held = async (workId: string): Promise<void> => {
    await ready(workId);
    await box.as('ann').claim(workId, {});
  };
  const inReview = async (workId: string): Promise<void> => {
    await held(workId);
    const artifact = { sha256: await stored(`{"of":"${workId}"}`) };
    await box.as('ann').submit(workId, { interruptId: await waitOf(workId), inputVersion: 1, artifact });
  };
  const reviewed = async (workId: string, verdict: 'PASS' | 'REWORK' | 'ESCALATE'): Promise<void> => {
    await inReview(workId);
    const { artifactSha256 } = await owner.show(workId);
    const findings = verdict === 'PASS' ? {} : { findings: ['again'] };
    const body = {
      interruptId: await waitOf(workId),
      artifactSha256,
      verdict,
      evidenceRef: 'log:1',
      ...findings,
    };
    await box.as('rita').review(workId, body);
  };
  await owner.register({ workId: 'discovered', input: 1 });
  await ready('ready');
  await held('held');
  await inReview('in-review');
  await reviewed('passed', 'PASS');
  await reviewed('reworked', 'REWORK');
  await reviewed('gated', 'ESCALATE');
  await ready('on-hold');
  await owner.hold('on-hold', { interruptId: await waitOf('on-hold'), reason: 'later' });
  await ready('cancelled');
  await owner.cancel('cancelled', { interruptId: await waitOf('cancelled'), reason: 'no' });
  const exception = { system: 'outside', runId: 'run-1' };
  const { work } = await owner.recordException({
    exceptionId: 'ex-1',
    origin: exception,
    occurredAt: '2026-01-01T00:00:00Z',
    evidence: { seen: 'it' },
  });
  const { items } = await owner.list({ limit: 200 });
  const secret = await openSession(box.desk, { tenant: 'default', principal: 'owner' });
  const { csrf } = await sessionOf(box.desk, secret);
  return {
    tokens,
    session: { secret, csrf },
    workIds: [...items.map((each) => each.workId).filter((id) => id !== work.workId), work.workId],
    threadIds: items.map((each) => each.threadId),
    artifacts,
  };
}

/**
 * Puts the desk's own values where a request has a place for them.
 * @param workId the work that the request is about, where it names one that exists
 */
export async function filled(
  box: Signalbox,
  furnished: Furnished,
  value: string,
  workId: string,
): Promise<string> {
  if (!value.includes('@')) return value;
  const work = await box
    .as('owner')
    .show(workId)
    .catch(() => null);
  const values: Readonly<Record<string, string>> = {
    '@work': workId,
    '@wait': work?.wait?.interruptId ?? 'f'.repeat(32),
    '@artifact': work?.artifactSha256 ?? furnished.artifacts[0] ?? '',
    '@person': 'spare',
    '@receipt': '00000000-0000-7000-8000-000000000000',
    '@token': '00000000-0000-7000-8000-000000000000',
  };
  return value
    .replaceAll('"@version"', String(work?.inputVersion ?? 1))
    .replaceAll(/@(?:work|wait|artifact|person|receipt|token|version)\b/g, (place) => values[place] ?? '1');
}
