import { stripVTControlCharacters } from 'node:util';
import { keptText } from '../core/kept-text.js';
import { LIMITS } from '../core/limits.js';
import { KeptLog } from './kept-log.js';
import { runShell, type ShellEnd } from './shell-command.js';
import { spokenLine } from './spoken-lines.js';
import type { Claim, TaskSetting } from './task.js';
import { WorkFolder } from './work-folder.js';

export interface FolderRun {
  readonly end: ShellEnd;
  readonly log: KeptLog;
  /** Lines of stdout that say nothing to the worker. */
  readonly words: readonly string[];
  readonly headSha: string | null;
  readonly items: readonly string[];
}

/** Names that a command must not inherit: with the worker's own token it could answer for others, and judge itself. */
const KEPT_BACK = ['SIGNALBOX_TOKEN', 'SIGNALBOX_AS', 'SIGNALBOX_DATA', 'SIGNALBOX_DATABASE_URL'];

/** Runs a command on a claim: JSON on stdin, files in the folder, its lines heard. */
export async function runInFolder(
  command: string,
  claim: Claim,
  setting: TaskSetting,
  cwd: string | undefined,
): Promise<FolderRun> {
  const log = new KeptLog();
  const words: string[] = [];
  const items: string[] = [];
  let headSha: string | null = null;
  log.add(`$ ${command}`);
  const end = await runShell({
    command,
    folder: cwd ?? setting.folder,
    env: environment(claim, setting),
    stdin: JSON.stringify(claim),
    signal: setting.signal,
    onLine(raw, from) {
      log.add(raw);
      // Colours and control characters are the terminal's; the desk would refuse the whole answer for one of them.
      const line = keptText(stripVTControlCharacters(raw));
      const spoken = spokenLine(line);
      if (spoken?.what === 'progress') setting.progress(spoken.progress);
      else if (spoken?.what === 'head-sha') headSha = spoken.headSha;
      else if (spoken?.what === 'item') items.push(spoken.item);
      else if (from === 'stdout' && words.length < LIMITS.findings) words.push(line);
    },
  });
  log.add(`[${endText(end, setting.signal)}]`);
  return { end, log, words, headSha, items };
}

/** How a command ended, in words. */
export function endText(end: ShellEnd, signal: AbortSignal): string {
  if (end.stopped) return `stopped: ${reasonOf(signal)}`;
  switch (end.how) {
    case 'exited':
      return `exit code ${end.code}`;
    case 'killed':
      return `killed by ${end.by}`;
    case 'not_started':
      return `could not be started: ${end.reason}`;
  }
}

export function reasonOf(signal: AbortSignal): string {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason.message : String(reason);
}

function environment(claim: Claim, setting: TaskSetting): Record<string, string> {
  const inherited = Object.entries(process.env).filter(([name]) => !KEPT_BACK.includes(name));
  const { folder, artifact } = setting;
  return {
    ...(Object.fromEntries(inherited) as Record<string, string>),
    SIGNALBOX_FOLDER: folder,
    SIGNALBOX_CLAIM: `${folder}/claim.json`,
    SIGNALBOX_INPUT: `${folder}/input.json`,
    SIGNALBOX_OUTPUT: WorkFolder.outputOf(folder),
    SIGNALBOX_WORK_ID: claim.workId,
    SIGNALBOX_KIND: claim.kind,
    SIGNALBOX_TITLE: claim.title,
    SIGNALBOX_ROUND: String(claim.round),
    SIGNALBOX_INPUT_VERSION: String(claim.inputVersion),
    SIGNALBOX_INTERRUPT_ID: claim.interruptId ?? '',
    ...(artifact === undefined
      ? {}
      : { SIGNALBOX_ARTIFACT: artifact.path, SIGNALBOX_ARTIFACT_TYPE: artifact.mediaType }),
  };
}
