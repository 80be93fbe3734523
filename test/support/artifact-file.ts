import { join } from 'node:path';
import { sha256 as hashOf } from '../../src/core/identity.js';

/** Where the default tenant's artifact lies, for tests that damage it. */
export function artifactFile(dataDir: string, sha256: string): string {
  return join(dataDir, 'artifacts', hashOf('default').slice(0, 32), sha256.slice(0, 2), sha256);
}
