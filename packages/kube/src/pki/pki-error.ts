/**
 * Thrown for a key, certificate or request that cannot be parsed, verified or signed; the message names it and the
 * reason.
 */
export class PkiError extends Error {
  override readonly name = 'PkiError';
}
