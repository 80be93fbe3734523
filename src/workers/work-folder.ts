import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { LIMITS } from '../core/limits.js';
import type { Claim } from './task.js';

/** The name that the output file has, with or without an ending. */
const OUTPUT = 'result';

/** A fresh folder for one work, with the claim and its input as files; removed with all that is in it. */
export class WorkFolder {
  private constructor(readonly path: string) {}

  static async make(claim: Claim): Promise<WorkFolder> {
    const folder = new WorkFolder(await mkdtemp(join(tmpdir(), 'signalbox-work-')));
    await writeFile(folder.claim, JSON.stringify(claim, null, 2));
    await writeFile(folder.input, JSON.stringify(claim.input, null, 2));
    return folder;
  }

  get claim(): string {
    return join(this.path, 'claim.json');
  }
  get input(): string {
    return join(this.path, 'input.json');
  }

  /** Where the result is to be written; `.json` and the like may be added. */
  static outputOf(path: string): string {
    return join(path, OUTPUT);
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}

/** What a task wrote as its result. */
export type Output =
  | { readonly found: true; readonly content: Uint8Array; readonly name: string }
  | { readonly found: false; readonly why: string };

/** The one output file of a folder: `result`, or `result.` with any ending. */
export async function readOutput(folder: string): Promise<Output> {
  const names = (await readdir(folder)).filter((name) => name === OUTPUT || name.startsWith(`${OUTPUT}.`));
  const [name] = names;
  if (name === undefined) return { found: false, why: 'it wrote no file to SIGNALBOX_OUTPUT' };
  if (names.length > 1) return { found: false, why: `it wrote more than one result: ${names.join(', ')}` };
  const path = join(folder, name);
  const { size } = await stat(path);
  if (size > LIMITS.artifact_bytes)
    return { found: false, why: `its result has ${size} bytes, and ${LIMITS.artifact_bytes} is the most` };
  return { found: true, content: await readFile(path), name };
}

/** The media type of an output: by its ending, else by what is in it. */
export function typeOfOutput(
  { name, content }: { readonly name: string; readonly content: Uint8Array },
  byName: (path: string) => string,
): string {
  if (extname(name) !== '') return byName(name);
  const text = textOf(content);
  if (text === null) return 'application/octet-stream';
  try {
    JSON.parse(text);
    return 'application/json';
  } catch {
    return 'text/plain';
  }
}

function textOf(content: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return null;
  }
}
