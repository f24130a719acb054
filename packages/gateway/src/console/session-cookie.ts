/** Bound to the host by its prefix: no other host of the domain can set it, and it goes over TLS alone. */
const NAME = '__Host-fairway-session';

/** The sealed session of a request. */
export function sealedSessionOf(cookies: string | undefined): string | undefined {
  return cookieOf(cookies, NAME);
}

/** What a request has under a name. */
export function cookieOf(cookies: string | undefined, wanted: string): string | undefined {
  if (cookies === undefined) return undefined;
  for (const pair of cookies.split(';')) {
    const [name = '', ...value] = pair.split('=');
    if (name.trim() === wanted) return value.join('=').trim();
  }
  return undefined;
}

/** For as long as the browser runs, and no longer than the session. */
export function sessionCookie(sealed: string, lastsMs: number): string {
  return strictCookie(NAME, sealed, lastsMs);
}

/** One that comes along with requests of pages of this server alone. */
export function strictCookie(name: string, value: string, lastsMs: number): string {
  const seconds = Math.max(0, Math.floor(lastsMs / 1000));
  return `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=${seconds}`;
}

/** Has the browser forget one. */
export function endedCookie(name: string): string {
  return strictCookie(name, '', 0);
}

export const NO_SESSION_COOKIE = endedCookie(NAME);
