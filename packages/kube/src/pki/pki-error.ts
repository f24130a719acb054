/** Thrown for a key, certificate or request that cannot be read, verified or signed; the message says which and why. */
export class PkiError extends Error {
  override readonly name = 'PkiError';
}
