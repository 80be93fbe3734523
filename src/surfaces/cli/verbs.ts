import type { Verb } from './verb.js';

/**
 * Every verb and the file it is in, in the order of the help. A verb is one file of `verbs/` that exports `verb`;
 * adding one is that file and a line here.
 */
export const VERBS = {
  start: () => import('./verbs/start.js'),
  demo: () => import('./verbs/demo.js'),
  register: () => import('./verbs/register.js'),
  import: () => import('./verbs/import.js'),
  promote: () => import('./verbs/promote.js'),
  claim: () => import('./verbs/claim.js'),
  renew: () => import('./verbs/renew.js'),
  submit: () => import('./verbs/submit.js'),
  review: () => import('./verbs/review.js'),
  decide: () => import('./verbs/decide.js'),
  complete: () => import('./verbs/complete.js'),
  observe: () => import('./verbs/observe.js'),
  asset: () => import('./verbs/asset.js'),
  hold: () => import('./verbs/hold.js'),
  resume: () => import('./verbs/resume.js'),
  block: () => import('./verbs/block.js'),
  unblock: () => import('./verbs/unblock.js'),
  cancel: () => import('./verbs/cancel.js'),
  release: () => import('./verbs/release.js'),
  handoff: () => import('./verbs/handoff.js'),
  investigate: () => import('./verbs/investigate.js'),
  effect: () => import('./verbs/effect.js'),
  escalate: () => import('./verbs/escalate.js'),
  reconcile: () => import('./verbs/reconcile.js'),
  'retry-apply': () => import('./verbs/retry-apply.js'),
  note: () => import('./verbs/note.js'),
  rules: () => import('./verbs/rules.js'),
  show: () => import('./verbs/show.js'),
  history: () => import('./verbs/history.js'),
  receipts: () => import('./verbs/receipts.js'),
  list: () => import('./verbs/list.js'),
  exception: () => import('./verbs/exception.js'),
  'dead-letters': () => import('./verbs/dead-letters.js'),
  basket: () => import('./verbs/basket.js'),
  stats: () => import('./verbs/stats.js'),
  report: () => import('./verbs/report.js'),
  switch: () => import('./verbs/switch.js'),
  kinds: () => import('./verbs/kinds.js'),
  principal: () => import('./verbs/principal.js'),
  token: () => import('./verbs/token.js'),
  'sign-in': () => import('./verbs/sign-in.js'),
  verify: () => import('./verbs/verify.js'),
  migrate: () => import('./verbs/migrate.js'),
  backup: () => import('./verbs/backup.js'),
  restore: () => import('./verbs/restore.js'),
  export: () => import('./verbs/export.js'),
  'import-archive': () => import('./verbs/import-archive.js'),
  prune: () => import('./verbs/prune.js'),
  worker: () => import('./verbs/worker.js'),
  reviewer: () => import('./verbs/reviewer.js'),
  mcp: () => import('./verbs/mcp.js'),
} as const satisfies Readonly<Record<string, () => Promise<{ readonly verb: Verb }>>>;

export type VerbName = keyof typeof VERBS;

export function isVerb(word: string): word is VerbName {
  return Object.hasOwn(VERBS, word);
}
