import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { BaseMessageLike } from '@langchain/core/messages';
import { keptText } from '../core/kept-text.js';
import { LIMITS } from '../core/limits.js';
import type { DoorLike } from '../client.js';
import { KeptLog } from './kept-log.js';
import { reasonOf } from './run-in-folder.js';
import type { Claim, Task } from './task.js';

type KindView = Awaited<ReturnType<DoorLike['kinds']>>[number];

export interface ModelOptions {
  readonly model: Pick<BaseChatModel, 'invoke'>;
  readonly kinds: readonly KindView[];
  /** What the answer is; by the kind when left out. */
  readonly mediaType?: string;
}

/**
 * A chat model as a worker: it is told what the kind wants and the input, and its answer is the result. Where the kind
 * wants JSON the answer must be JSON; a model that answers with something else is told so, a few times.
 */
export function modelTask({ model, kinds, mediaType }: ModelOptions): Task {
  return async (claim, { signal, progress }) => {
    const log = new KeptLog();
    const kind = kinds.find((each) => each.kind === claim.kind);
    const type =
      mediaType ?? kind?.artifactMediaType ?? (wantsJson(kind) ? 'application/json' : 'text/plain');
    const messages = promptOf(claim, kind, type);
    for (const [role, text] of messages) log.add(`${role}: ${text}`);
    const conversation: BaseMessageLike[] = [...messages];
    let wrong = '';
    for (let asked = 1; asked <= LIMITS.modelAnswers; asked += 1) {
      progress({ done: asked - 1, note: 'waiting for the model' });
      let answer: string;
      try {
        answer = (await model.invoke(conversation, { signal })).text;
      } catch (error) {
        const why = signal.aborted
          ? reasonOf(signal)
          : error instanceof Error
            ? error.message
            : String(error);
        log.add(`[failed: ${why}]`);
        return failed(`the model gave no answer: ${why}`, log);
      }
      log.add(`model: ${answer}`);
      const content = isJsonType(type) ? jsonIn(answer) : answer.trim();
      if (content !== null && content !== '')
        return { how: 'finished', content: Buffer.from(content), mediaType: type, log: log.text() };
      wrong = content === '' ? 'the answer is empty' : 'the answer is not JSON';
      conversation.push(['ai', answer], ['human', `${wrong}. Answer with the ${type} alone.`]);
    }
    return failed(`the model was asked ${LIMITS.modelAnswers} times, and ${wrong}`, log);
  };
}

function failed(reason: string, log: KeptLog) {
  return { how: 'failed' as const, reason: keptText(reason, LIMITS.reason_chars), log: log.text() };
}

/** Schema and required-field validators read JSON, whatever media type the kind leaves open. */
function wantsJson(kind: KindView | undefined): boolean {
  return kind?.validators.some(({ type }) => type === 'schema' || type === 'required') ?? false;
}

const isJsonType = (mediaType: string): boolean => /^application\/(?:[\w.+-]+\+)?json\b/.test(mediaType);

function promptOf(
  claim: Claim,
  kind: KindView | undefined,
  mediaType: string,
): ['system' | 'human', string][] {
  const system = [
    kind?.description ?? '',
    `Answer with the result alone, as ${mediaType}, without any words around it.`,
  ];
  const human = [
    claim.title,
    `Input:\n${JSON.stringify(claim.input, null, 2)}`,
    ...(claim.findings.length === 0
      ? []
      : [
          `An earlier result was sent back. Correct all of this:\n${claim.findings
            .map(({ path, message }) => `- ${path === '' ? '' : `${path}: `}${message}`)
            .join('\n')}`,
        ]),
    ...(claim.handoff?.note ? [`A note of the holder before you: ${claim.handoff.note}`] : []),
  ];
  const joined = (parts: string[]): string => parts.filter((part) => part !== '').join('\n\n');
  return [
    ['system', joined(system)],
    ['human', joined(human)],
  ];
}

/** The JSON of an answer, out of its code fence if it has one; null where there is none. */
function jsonIn(answer: string): string | null {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)```/.exec(answer)?.[1];
  for (const text of [answer, fenced ?? '']) {
    try {
      JSON.parse(text);
      return text.trim();
    } catch {
      // The other form may be.
    }
  }
  return null;
}
