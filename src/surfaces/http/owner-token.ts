import { open } from 'node:fs/promises';
import { join } from 'node:path';

/** The file that the first owner's token is left in, for whoever may read the data folder. */
export const ownerTokenFile = (dataFolder: string): string => join(dataFolder, 'owner.token');

/** Writes the first owner's token, readable by its user alone, on disk before it returns. */
export async function writeOwnerToken(dataFolder: string, token: string): Promise<void> {
  const file = await open(ownerTokenFile(dataFolder), 'w', 0o600);
  try {
    await file.chmod(0o600);
    await file.writeFile(`${token}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}
