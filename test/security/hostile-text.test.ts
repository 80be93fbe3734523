import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PAGES } from '../../proof/fuzz/pages.js';
import { forTerminal } from '../../src/surfaces/cli/out.js';
import { logLine } from '../../src/surfaces/http/log.js';
import { fields, table } from '../../src/surfaces/cli/table.js';
import { keptText } from '../../src/core/kept-text.js';
import { servingCockpit, signedInVisitor } from '../cockpit/visiting.js';
import type { Serving } from '../http/serving.js';

const SCRIPTS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'><svg/onload=alert(1)>",
  '[click](javascript:alert(1))',
  '<a href="javascript:alert(1)">x</a>',
  '{{constructor.constructor("alert(1)")()}}',
];

let here: Serving;
const workIds: string[] = [];
beforeAll(async () => {
  here = await servingCockpit();
  const owner = here.box.as('owner');
  await owner.putPrincipal({ name: 'ann', roles: ['worker'] });
  for (const [index, text] of SCRIPTS.entries()) {
    const workId = `w${index}`;
    workIds.push(workId);
    await owner.register({ workId, title: text, input: { [text]: text }, source: text });
    await owner.promote(workId, { reason: text });
    await owner.note(workId, { text, evidenceRef: text });
    const { claim } = await here.box.as('ann').claim(workId, {});
    const mediaType = index % 2 === 0 ? 'text/markdown' : 'text/html';
    const { sha256 } = await here.box.as('ann').putArtifact(`# ${text}\n\n${text}\n`, mediaType);
    const { work } = await here.box.as('ann').submit(workId, {
      interruptId: claim.interruptId,
      inputVersion: 1,
      artifact: { sha256 },
      notes: text,
      items: [text],
    });
    if (index % 3 === 0) continue;
    const verdict = index % 3 === 1 ? 'REWORK' : 'ESCALATE';
    await owner.putPrincipal({ name: 'rita', roles: ['reviewer'] });
    await here.box.as('rita').review(workId, {
      interruptId: work.wait?.interruptId,
      artifactSha256: sha256,
      verdict,
      evidenceRef: text,
      findings: [text],
    });
  }
  const { work } = await owner.recordException({
    exceptionId: `ex-${SCRIPTS[0]}`,
    origin: { system: SCRIPTS[1], runId: SCRIPTS[2] },
    classification: SCRIPTS[0],
    summary: SCRIPTS[1],
    occurredAt: '2026-01-01T00:00:00Z',
    evidence: [{ label: SCRIPTS[0], ref: SCRIPTS[3], body: { [SCRIPTS[0] ?? '']: SCRIPTS[1] } }],
  });
  workIds.push(work.workId);
});
afterAll(() => here.close());

/** What a browser would run: an element of a script, a handler in a tag, or an address that is a script. */
function running(page: string): string[] {
  const tags = page.match(/<[a-z/!][^>]*>/gi) ?? [];
  return tags.filter(
    (tag) =>
      /^<svg\/|^<img src=x|^<script>/i.test(tag) ||
      /(?:href|src|action)\s*=\s*["']?\s*javascript:/i.test(tag) ||
      /\son\w+\s*=/i.test(tag.replaceAll(/"[^"]*"/g, '""')),
  );
}

describe('scripts in titles, inputs, notes, findings, evidence and artifacts', () => {
  it('are text on every page of the cockpit, under a policy that would run none of them', async () => {
    const browser = await signedInVisitor(here, here.ownerToken);
    const asked = PAGES.filter((path) => !path.includes('@')).flatMap((path) =>
      path.includes(':work') ? workIds.map((id) => path.replace(':work', id)) : [path],
    );
    for (const path of asked) {
      const page = await browser.get(`${path}?q=${encodeURIComponent(SCRIPTS[1] ?? '')}`);
      if (!(page.headers.get('content-type') ?? '').startsWith('text/html')) continue;
      expect([path, running(page.text)]).toEqual([path, []]);
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|\*/);
    }
  });

  it.each(['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/javascript'])(
    'as %s they are a download that cannot run',
    async (mediaType) => {
      const stored = await here.call('PUT', '/v1/artifacts', {
        raw: `<script>${mediaType}</script>`,
        headers: { 'content-type': mediaType },
      });
      const browser = await signedInVisitor(here, here.ownerToken);
      const through = [
        await here.call('GET', `/v1/artifacts/${stored.body.sha256}`),
        await browser.get(`/works/${encodeURIComponent('w0')}/artifacts/${stored.body.sha256}`),
      ];
      for (const answer of through) {
        expect(answer.status).toBe(200);
        expect(answer.headers.get('content-disposition')).toMatch(/^attachment/);
        expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      }
    },
  );
});

const ESCAPES =
  'a\u001b[2J\u001b]0;owned\u0007b\u009b31mc\u202ed\r\n{"level":"info","message":"forged"}\u2028e';

describe('escape sequences and line ends in names and titles', () => {
  it('reach no terminal: nothing moves its cursor, colours it, or turns the direction of its text', () => {
    const shown = [forTerminal(ESCAPES), table(['title'], [[ESCAPES]]), fields([['title', ESCAPES]])];
    // oxlint-disable-next-line no-control-regex -- they are what must be gone
    for (const text of shown) expect(text).not.toMatch(/[\u001b\u0007\u009b\r]/);
    expect(forTerminal(ESCAPES)).not.toMatch(/\u202e/);
    // A cell is one line, so that a title cannot forge a row.
    expect(table(['title'], [[ESCAPES]]).split('\n')).toHaveLength(2);
  });

  it('make no second line in the log, and no terminal that shows it obeys them', () => {
    const line = logLine({ message: ESCAPES, path: ESCAPES });
    expect(line).toMatch(/^[\u0020-\u007e]*$/);
    expect(JSON.parse(line)).toEqual({ message: ESCAPES, path: ESCAPES });
  });

  it('are refused where a request brings them, and taken out of what the desk itself puts on record', async () => {
    for (const title of ['\u001b[31mred', 'a\u0007', 'nul\u0000']) {
      const answer = await here.call('POST', '/v1/works', { json: { workId: 'esc', title, input: 1 } });
      expect([answer.status, answer.body.code]).toEqual([422, 'INVALID']);
    }
    expect(keptText('a\u001b[31mb\u0000\ud800c')).toBe('a[31mb\ufffdc');
    expect(keptText('😀😀', 3)).toBe('😀');
  });
});
