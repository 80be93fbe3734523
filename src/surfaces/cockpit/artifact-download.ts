import type { Screens } from './screens.js';

const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/json': '.json',
  'text/markdown': '.md',
  'text/plain': '.txt',
  'text/csv': '.csv',
  'text/html': '.html.txt',
  'application/pdf': '.pdf',
  'application/zip': '.zip',
};

/** The bytes of an artifact, always as a download: anybody's bytes must not run on the cockpit's own origin. */
export function artifactScreens(screens: Screens): void {
  screens.get('/works/:workId/artifacts/:sha256', async ({ door, param }) => {
    const { bytes, mediaType, sha256 } = await door.getArtifact(param('sha256'));
    const extension = EXTENSIONS[mediaType.split(';')[0]?.trim() ?? ''] ?? '';
    const name = `${param('workId')}-${sha256.slice(0, 8)}${extension}`;
    return new Response(bytes as Uint8Array<ArrayBuffer>, {
      headers: {
        'content-type': mediaType,
        'content-length': String(bytes.length),
        'content-disposition': attachment(name),
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'private, no-store',
      },
    });
  });
}

/** RFC 6266 with RFC 8187: a plain name for old readers, the true one percent-encoded, nothing a header could end with. */
export function attachment(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9._-]/g, '_').slice(0, 150);
  const encoded = encodeURIComponent(wellFormed(name.slice(0, 250))).replaceAll(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Half a surrogate pair has no UTF-8 form. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\uFFFD');
}
