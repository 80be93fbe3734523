import { readFile, stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError, isConfigError } from './config-error.js';

/** The names looked for in a project folder, first one first. */
export const CONFIG_FILE_NAMES = [
  'signalbox.config.ts',
  'signalbox.config.mts',
  'signalbox.config.mjs',
  'signalbox.config.js',
  'signalbox.config.json',
] as const;

const SUBJECT = 'the config file';

/** The absolute path of the folder's config file; null when it has none. */
export async function findConfigFile(cwd: string): Promise<string | null> {
  for (const name of CONFIG_FILE_NAMES) {
    const path = resolve(cwd, name);
    if (await isFile(path)) return path;
  }
  return null;
}

/**
 * What a config file holds: its default export, or its JSON. Runs the file when it is a program.
 * Throws ConfigError when it is missing, of another format, does not parse or does not run.
 */
export async function readConfigFile(path: string): Promise<unknown> {
  if (!(await isFile(path)))
    throw new ConfigError(
      SUBJECT,
      [
        {
          path: '',
          message:
            'there is no such file; correct the path, or leave it out to use the one in the project folder',
        },
      ],
      path,
    );
  try {
    switch (extname(path)) {
      case '.json':
        return JSON.parse(await readFile(path, 'utf8')) as unknown;
      case '.js':
      case '.mjs':
        return defaultExport(await import(pathToFileURL(path).href), path);
      case '.ts':
      case '.mts':
        return defaultExport(await importTypeScript(path), path);
    }
  } catch (error) {
    if (isConfigError(error))
      throw error.file === null ? new ConfigError(error.subject, error.issues, path) : error;
    throw new ConfigError(SUBJECT, [{ path: '', message: reasonOf(error, path) }], path);
  }
  throw new ConfigError(
    SUBJECT,
    [{ path: '', message: 'has a format we do not read; use .ts, .mts, .mjs, .js or .json' }],
    path,
  );
}

/**
 * Through tsx on every Node: the one that strips types itself (22.18 on) does not take enums or find `./x.js` in
 * `./x.ts`, and a config must mean the same everywhere. Loaded only here, so nobody else pays for its start.
 */
async function importTypeScript(path: string): Promise<unknown> {
  const { tsImport } = await import('tsx/esm/api');
  // The nearest tsconfig.json is an application's own affair; its path aliases must not decide what we load.
  return (await tsImport(pathToFileURL(path).href, {
    parentURL: import.meta.url,
    tsconfig: false,
  })) as unknown;
}

/** Under a package.json without `"type": "module"` a default export arrives wrapped once more, as CommonJS. */
function defaultExport(namespace: unknown, path: string): unknown {
  let value = (namespace as { default?: unknown }).default;
  if (typeof value === 'object' && value !== null && 'default' in value && !('kinds' in value))
    value = value.default;
  if (value === undefined)
    throw new ConfigError(
      SUBJECT,
      [{ path: '', message: 'has no default export; write `export default { kinds: [ … ] }`' }],
      path,
    );
  return value;
}

function reasonOf(error: unknown, path: string): string {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const code = (error as { code?: unknown } | null)?.code;
  if (extname(path) === '.json' && error instanceof SyntaxError) return `is not JSON (${error.message})`;
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND')
    return `imports something that is not installed beside it (${message})`;
  if (error instanceof SyntaxError && extname(path) === '.js')
    return `does not parse (${message}); for import and export in a .js file, name it .mjs or set "type": "module" in package.json`;
  return `failed while it ran (${message})`;
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw new ConfigError(SUBJECT, [{ path: '', message: `cannot be looked up (${String(error)})` }], path);
  }
}
