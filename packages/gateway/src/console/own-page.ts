/** A header that only scripts of the same origin can add: for others a browser asks the server first, which never allows it. */
const OWN_HEADER = 'x-fairway-console';

type Headers = Readonly<Record<string, string | undefined>>;

/** Whether a page of the console claims to ask. */
export function claimsToBeOwnPage(headers: Headers): boolean {
  return headers[OWN_HEADER] !== undefined;
}

/**
 * Whether a page of the console asks, and no other site in its user's name: what a browser itself says of where a request comes from (Sec-Fetch-Site), or, of browsers
 * that don't, the origin. Neither can be set by scripts.
 */
export function isOwnPage(headers: Headers): boolean {
  if (!claimsToBeOwnPage(headers)) return false;
  const site = headers['sec-fetch-site'];
  const { origin, host } = headers;
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin !== undefined) return origin === `https://${host}`;
  return site === 'same-origin';
}
