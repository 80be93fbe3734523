import type { Verb } from './verb.js';

/**
 * Every verb and the file it is in, in the order of the help. A verb is one file of `verbs/` that exports `verb`;
 * adding one is that file and a line here.
 */
export const VERBS = {
  list: () => import('./verbs/list.js'),
  show: () => import('./verbs/show.js'),
} as const satisfies Readonly<Record<string, () => Promise<{ readonly verb: Verb }>>>;

export type VerbName = keyof typeof VERBS;

export function isVerb(word: string): word is VerbName {
  return Object.hasOwn(VERBS, word);
}
