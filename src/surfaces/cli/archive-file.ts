import { createReadStream, createWriteStream } from 'node:fs';
import { access, open, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { ArchiveLine } from '../../operations/archive-format.js';
import { exportArchive } from '../../operations/export-archive.js';
import { importArchive } from '../../operations/import-archive.js';
import { checkArchive, type Brought } from '../../operations/check-archive.js';
import type { Args } from './args.js';
import { CannotReach } from './failures.js';
import type { Out } from './out.js';
import type { Reach } from './reach.js';

/** Writes every tenant, or the one that is named, into a file, which is there whole or not at all. Servers may run meanwhile. */
export async function writeArchive(reach: Reach, args: Args, out: Out): Promise<void> {
  const file = args.at(0);
  const box = await reach.open({ recover: false });
  const part = `${file}.part`;
  try {
    let [works, artifacts] = [0, 0];
    let tenants: readonly string[] = [];
    const text = async function* () {
      for await (const line of exportArchive(box.desk, { tenant: args.text('tenant') })) {
        if ('signalbox' in line) tenants = line.tenants ?? [line.tenant];
        if ('end' in line) [works, artifacts] = [works + line.end.works, artifacts + line.end.artifacts];
        yield `${JSON.stringify(line)}\n`;
      }
    };
    const source = Readable.from(text());
    // The file may hold tokens' hashes and everything that was handed in.
    const sink = createWriteStream(part, { mode: 0o600 });
    await (file.endsWith('.gz') ? pipeline(source, createGzip(), sink) : pipeline(source, sink));
    await synced(part);
    await rename(part, file);
    const all = { file, tenants, works, artifacts };
    out.answer(all, () => `${file}: ${told(all)}`);
  } finally {
    await rm(part, { force: true });
    await box.close();
  }
}

/** Brings such a file into an empty desk. No server may run on it yet. */
export async function readArchive(reach: Reach, args: Args, out: Out): Promise<void> {
  const file = args.at(0);
  // Before a desk is founded for what is not there.
  await access(file).catch((cause: unknown) => {
    throw new CannotReach(`there is no file ${file} that can be read`, { cause });
  });
  // To its end before anything is brought: of one that is not whole, nothing stays.
  await checkArchive(archiveLines(file));
  const box = await reach.open({ recover: false });
  try {
    const brought = await importArchive(box.desk, archiveLines(file));
    out.answer({ file, ...brought }, () => `${told(brought)} from ${file}`);
  } finally {
    await box.close();
  }
}

const told = ({ works, artifacts, tenants }: Brought): string =>
  `${works} works, ${artifacts} artifacts of ${tenants.length === 1 ? 'tenant' : 'tenants'} ${tenants.join(', ')}`;

/** @throws CannotReach where the file is no archive, or none that is whole */
async function* archiveLines(file: string): AsyncGenerator<ArchiveLine> {
  const raw = createReadStream(file);
  const lines: string[] = [];
  let number = 0;
  const parsed = (): ArchiveLine[] => {
    const text = lines.splice(0).join('');
    number += 1;
    try {
      return text === '' ? [] : [JSON.parse(text) as ArchiveLine];
    } catch (cause) {
      throw unreadable(file, `line ${number} is no JSON`, cause);
    }
  };
  try {
    const source = file.endsWith('.gz') ? unpacked(raw) : raw;
    source.setEncoding('utf8');
    for await (const chunk of source as AsyncIterable<string>) {
      // A line may hold a whole artifact, so its pieces are joined once.
      const [rest = '', ...more] = chunk.split('\n');
      lines.push(rest);
      for (const begun of more) {
        yield* parsed();
        lines.push(begun);
      }
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_'))
      throw unreadable(file, 'it ends early', error);
    throw error;
  }
  yield* parsed();
}

function unpacked(raw: Readable): Readable {
  const gunzip = createGunzip();
  // `pipe` passes on no error.
  raw.on('error', (error) => gunzip.destroy(error));
  return raw.pipe(gunzip);
}

const unreadable = (file: string, why: string, cause: unknown): CannotReach =>
  new CannotReach(`${file} is no whole archive: ${why}.\nNothing of it is brought: take a whole one.`, {
    cause,
  });

async function synced(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
