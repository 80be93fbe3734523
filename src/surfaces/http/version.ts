import { readFileSync } from 'node:fs';

/** The version in package.json, three folders up from here in `src` as in `dist`. */
export function packageVersion(): string {
  const file = new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
