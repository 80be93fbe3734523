import { interrupt } from '@langchain/langgraph';
import { advance, type Answer } from '../core/advance.js';
import type { ContentStore } from '../core/content.js';
import { canonicalJson, sha256 } from '../core/identity.js';
import type { Kind } from '../core/kind.js';
import { LIMITS } from '../core/limits.js';
import type { ArtifactRef, Position } from '../core/work.js';
import { answerSchema, type CompleteAnswer } from './answer-schema.js';
import { exampleAnswers } from './example-answers.js';
import { waitRequest, type Wait } from './waiting.js';

/** What a graph without a desk works with. */
export interface StandaloneParts {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly content: ContentStore;
}

type Given = Parameters<CompleteAnswer>[0];

/**
 * How a node waits where there is no desk: it shows a ready answer for each action, and an answer may carry its
 * bytes with it (`content` of a result, `input` of a correction) instead of the hash of what a desk has stored.
 */
export function standaloneWait(parts: StandaloneParts): Wait {
  return async (position, policy, extra = {}) => {
    const complete = completing(position, parts.kinds.get(position.kind));
    const { answer } = interrupt<unknown, { answer: Given }>(
      { ...waitRequest(position), ...extra, exampleAnswers: exampleAnswers(position) },
      { responseSchema: answerSchema(position, complete) as never },
    );
    await keep(parts.content, position.tenant, answer);
    const completed = complete(answer, { addIssue: () => undefined });
    return advance(position, completed as unknown as Answer, policy);
  };
}

/** The schema of a wait as this way of waiting has it, for a server that wants to ask it before a run exists. */
export function standaloneSchema(position: Position, kinds: ReadonlyMap<string, Kind>) {
  return answerSchema(position, completing(position, kinds.get(position.kind)));
}

function completing(position: Position, kind: Kind | undefined): CompleteAnswer {
  return (answer, report) => {
    const issue = (path: string, message: string): void =>
      report.addIssue({ code: 'custom', path: [path], message });
    if (answer.action === 'result' && answer['content'] !== undefined) return withArtifact(answer, issue);
    if (answer.action === 'correct' && answer['input'] !== undefined) {
      for (const { path, message } of kind?.inputCheck(answer['input']) ?? []) {
        issue('input', `${path}: ${message}`);
      }
      return {
        ...answer,
        inputVersion: position.inputVersion + 1,
        inputSha256: sha256(canonicalJson(answer['input'])),
      };
    }
    return answer;
  };
}

function withArtifact(answer: Given, issue: (path: string, message: string) => void): Given {
  const content = answer['content'];
  if (typeof content !== 'string') {
    issue('content', 'must be text');
    return answer;
  }
  if (content.length > LIMITS.jsonBody_bytes)
    issue('content', `is longer than ${LIMITS.jsonBody_bytes} characters; store it and name its sha256`);
  const declared = answer['artifact'] as Partial<ArtifactRef> | undefined;
  const actual = sha256(content);
  if (declared?.sha256 !== undefined && declared.sha256 !== actual)
    issue('artifact', `the content has sha256 ${actual}, not the one declared`);
  return { ...answer, artifact: { ...declared, sha256: actual } };
}

/**
 * Puts the bytes that an answer carries into the store. What fails here must not be thrown: the answer is consumed,
 * and validation will find that the bytes are missing and say so.
 */
async function keep(content: ContentStore, tenant: string, answer: Given): Promise<void> {
  const text =
    answer.action === 'result' && typeof answer['content'] === 'string'
      ? answer['content']
      : answer.action === 'correct' && answer['input'] !== undefined
        ? canonicalJson(answer['input'])
        : null;
  if (text !== null) await put(content, tenant, text).catch(() => undefined);
}

/** Stores text under its hash. */
export async function put(content: ContentStore, tenant: string, text: string): Promise<void> {
  await content.put(tenant, oneChunk(new TextEncoder().encode(text)), LIMITS.artifact_bytes);
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
