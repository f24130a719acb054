/** Bound to the host by its prefix: no other host in the domain can set it, and it is sent over TLS only. */
const NAME = '__Host-fairway-session';

/** The sealed session of a request. */
export function sealedSessionOf(cookies: string | undefined): string | undefined {
  return cookieOf(cookies, NAME);
}

/** The value of a request's cookie. */
export function cookieOf(cookies: string | undefined, cookieName: string): string | undefined {
  if (cookies === undefined) return undefined;
  for (const pair of cookies.split(';')) {
    const [name = '', ...value] = pair.split('=');
    if (name.trim() === cookieName) return value.join('=').trim();
  }
  return undefined;
}

/** Expires when the browser closes, and no later than the session. */
export function sessionCookie(sealed: string, lifetimeMs: number): string {
  return strictCookie(NAME, sealed, lifetimeMs);
}

/** A cookie that is sent only with requests from pages of this server. */
export function strictCookie(name: string, value: string, lifetimeMs: number): string {
  const seconds = Math.max(0, Math.floor(lifetimeMs / 1000));
  return `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=${seconds}`;
}

/** Makes the browser delete a cookie. */
export function expiredCookie(name: string): string {
  return strictCookie(name, '', 0);
}

export const NO_SESSION_COOKIE = expiredCookie(NAME);
