import { randomUUID } from 'node:crypto';
import { open, readFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** The file that the first owner's token is left in, for whoever may read the data folder. */
export const ownerTokenFile = (dataFolder: string): string => join(dataFolder, 'owner.token');

const LEFT = /^owner\.[0-9a-f-]{36}\.token$/;

/** What this needs of the desk. */
export interface Founding {
  /** Founds the owner with this token; null where somebody else was first. */
  readonly found: (token: string) => Promise<{ readonly token: string } | null>;
  readonly isValid: (token: string) => Promise<boolean>;
}

/**
 * Founds the owner with a token that is on disk before the owner exists: first under a name of its own, afterwards
 * as `owner.token`, readable by its user alone. A crash in between leaves the first file, which the next opening
 * finds (`recoverOwnerToken`); two openings at once cannot overwrite each other's.
 */
export async function foundOwner(
  dataFolder: string,
  token: string,
  { found }: Pick<Founding, 'found'>,
): Promise<{ readonly token: string } | null> {
  const before = join(dataFolder, `owner.${randomUUID()}.token`);
  await writeDurably(before, token);
  const founded = await found(token);
  if (!founded) await rm(before, { force: true });
  else
    await rename(before, ownerTokenFile(dataFolder)).catch(async () => {
      // Another opening took it for one that came to nothing, a moment too soon.
      await writeDurably(ownerTokenFile(dataFolder), token);
    });
  return founded;
}

/** Gives the token of a founding that broke off its name, and takes away those that came to nothing. */
export async function recoverOwnerToken(
  dataFolder: string,
  { isValid }: Pick<Founding, 'isValid'>,
): Promise<void> {
  const left = (await readdir(dataFolder)).filter((name) => LEFT.test(name));
  for (const name of left) {
    const path = join(dataFolder, name);
    const token = (await readFile(path, 'utf8').catch(() => '')).trim();
    if (await isValid(token)) await rename(path, ownerTokenFile(dataFolder)).catch(() => undefined);
    else await rm(path, { force: true });
  }
}

async function writeDurably(path: string, token: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(`${token}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}
