import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { sha256 } from '../../core/identity.js';

const OWN = (name: string): string => fileURLToPath(new URL(`./assets/${name}`, import.meta.url));

/** What the pages load, by the name they ask for it. htmx comes out of its package, so there is no copy to keep up to date. */
const FILES: Readonly<Record<string, { readonly path: () => string; readonly mediaType: string }>> = {
  'cockpit.css': { path: () => OWN('cockpit.css'), mediaType: 'text/css; charset=utf-8' },
  'pages.css': { path: () => OWN('pages.css'), mediaType: 'text/css; charset=utf-8' },
  'cockpit.js': { path: () => OWN('cockpit.js'), mediaType: 'text/javascript; charset=utf-8' },
  'basket.js': { path: () => OWN('basket.js'), mediaType: 'text/javascript; charset=utf-8' },
  'import.js': { path: () => OWN('import.js'), mediaType: 'text/javascript; charset=utf-8' },
  'icon.svg': { path: () => OWN('icon.svg'), mediaType: 'image/svg+xml' },
  'htmx.js': {
    path: () => createRequire(import.meta.url).resolve('htmx.org/dist/htmx.min.js'),
    mediaType: 'text/javascript; charset=utf-8',
  },
};

interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
  readonly mediaType: string;
}

const loaded = new Map<string, Promise<Asset>>();

/** A static file of the cockpit; null where there is none of that name. Read once for the life of the process. */
export async function assetResponse(name: string, request: Request): Promise<Response | null> {
  const file = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
  if (!file) return null;
  let asset = loaded.get(name);
  if (!asset) {
    asset = load(file.path(), file.mediaType);
    loaded.set(name, asset);
  }
  const { bytes, etag, mediaType } = await asset;
  const headers = {
    'content-type': mediaType,
    etag,
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  };
  if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers });
  return new Response(bytes, { headers });
}

async function load(path: string, mediaType: string): Promise<Asset> {
  const bytes = new Uint8Array(await readFile(path));
  return { bytes, etag: `"${sha256(bytes).slice(0, 32)}"`, mediaType };
}
