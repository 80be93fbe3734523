import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { ArchiveLine } from '../../operations/archive-format.js';
import { exportArchive } from '../../operations/export-archive.js';
import { importArchive } from '../../operations/import-archive.js';
import { DEFAULT_TENANT } from '../../operations/principals.js';
import type { Args } from './args.js';
import type { Out } from './out.js';
import type { Reach } from './reach.js';

const OWNER = { tenant: DEFAULT_TENANT, principal: 'owner' };

/** Writes the desk into a file, which is there whole or not at all. Servers may run meanwhile. */
export async function writeArchive(reach: Reach, args: Args, out: Out): Promise<void> {
  const file = args.at(0);
  const box = await reach.open({ recover: false });
  const part = `${file}.part`;
  try {
    let works = 0;
    let artifacts = 0;
    const text = async function* () {
      for await (const line of exportArchive(box.desk, OWNER)) {
        if ('end' in line) ({ works, artifacts } = line.end);
        yield `${JSON.stringify(line)}\n`;
      }
    };
    const source = Readable.from(text());
    // The file may hold tokens' hashes and everything that was handed in.
    const sink = createWriteStream(part, { mode: 0o600 });
    await (file.endsWith('.gz') ? pipeline(source, createGzip(), sink) : pipeline(source, sink));
    await synced(part);
    await rename(part, file);
    out.answer({ file, works, artifacts }, () => `${file}: ${works} works, ${artifacts} artifacts`);
  } finally {
    await rm(part, { force: true });
    await box.close();
  }
}

/** Brings such a file into an empty desk. No server may run on it yet. */
export async function readArchive(reach: Reach, args: Args, out: Out): Promise<void> {
  const file = args.at(0);
  const box = await reach.open({ recover: false });
  try {
    const raw = createReadStream(file);
    const lines = createInterface({ input: file.endsWith('.gz') ? raw.pipe(createGunzip()) : raw });
    const parsed = async function* () {
      for await (const line of lines) if (line !== '') yield JSON.parse(line) as ArchiveLine;
    };
    const brought = await importArchive(box.desk, OWNER, parsed());
    out.answer(
      { file, ...brought },
      () => `${brought.works} works, ${brought.artifacts} artifacts from ${file}`,
    );
  } finally {
    await box.close();
  }
}

async function synced(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
