/**
 * A header that only scripts from the same origin can add. Before scripts from other origins may send it, the browser
 * sends a preflight request, which is never allowed.
 */
const CONSOLE_HEADER = 'x-fairway-console';

type Headers = Readonly<Record<string, string | undefined>>;

/** Whether a request claims to be from a console page. */
export function claimsToBeOwnPage(headers: Headers): boolean {
  return headers[CONSOLE_HEADER] !== undefined;
}

/**
 * Whether a request is from a console page, and not from another site on the user's behalf. Decided by the
 * browser's own statement (Sec-Fetch-Site), or by the Origin header in browsers without it. Scripts can set neither.
 */
export function isOwnPage(headers: Headers): boolean {
  if (!claimsToBeOwnPage(headers)) return false;
  const fetchSite = headers['sec-fetch-site'];
  const { origin, host } = headers;
  if (fetchSite !== undefined && fetchSite !== 'same-origin') return false;
  if (origin !== undefined) return origin === `https://${host}`;
  return fetchSite === 'same-origin';
}
