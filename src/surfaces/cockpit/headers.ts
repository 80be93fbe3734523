/**
 * Nothing runs and nothing is drawn but what this server sends as files: no inline script or style, no other
 * origin, no frame. What workers bring is text to the browser even where a page would render it wrongly.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of every page. `same-origin` rather than `no-referrer`: without a referrer browsers send `Origin: null` with forms. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** Where a form may send its reader afterwards: a path of ours, never another site. */
export function ownPath(given: string | null | undefined): string {
  if (!given || !/^\/(?![/\\])[^\\\s]*$/.test(given) || given.length > 2000) return '/';
  return given;
}

/** A redirect after a form, so that reloading never sends it again. */
export function seeOther(path: string, headers: Record<string, string> = {}): Response {
  return new Response(null, {
    status: 303,
    headers: { location: ownPath(path), 'cache-control': 'no-store', ...headers },
  });
}
