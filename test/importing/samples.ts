import { fileURLToPath } from 'node:url';

/** Small files of our own in the formats of others. */
export const BEADS_SAMPLE = fileURLToPath(new URL('samples/issues.jsonl', import.meta.url));
export const GITHUB_SAMPLE = fileURLToPath(new URL('samples/github-issues.json', import.meta.url));
