/** The cookie of a session. Cookies do not know ports, so two desks on one machine need two names. */
export function sessionCookieName(request: Request): string {
  const { port } = new URL(request.url);
  return `signalbox_session_${port || '0'}`;
}

export function cookieOf(request: Request, name: string): string | undefined {
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/** `Set-Cookie` of a new session; lives as long as the browser, and no longer than the session on record. */
export function sessionCookie(request: Request, secret: string): string {
  return `${sessionCookieName(request)}=${secret}; ${attributes(request)}`;
}

export function endedSessionCookie(request: Request): string {
  return `${sessionCookieName(request)}=; Max-Age=0; ${attributes(request)}`;
}

/** A choice that is no secret, kept for a year. */
export function choiceCookie(request: Request, name: string, value: string): string {
  return `${name}=${value}; Max-Age=31536000; ${attributes(request)}`;
}

function attributes(request: Request): string {
  const secure =
    new URL(request.url).protocol === 'https:' || request.headers.get('x-forwarded-proto') === 'https';
  return `Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
}
