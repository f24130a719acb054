export type KeystoneUnavailableReason =
  /** There was no response, or it was not from Keystone. */
  | 'unreachable'
  /** Keystone rejects Fairway's own credential: the operator must act. */
  | 'credentialRefused'
  /** Fairway's own user lacks permission to validate tokens: the operator must act. */
  | 'notPermitted';

/** Thrown when Keystone could not validate a token, so its validity is unknown. */
export class KeystoneUnavailableError extends Error {
  readonly reason: KeystoneUnavailableReason;
  readonly retryAfterMs: number;

  constructor(reason: KeystoneUnavailableReason, message: string, retryAfterMs: number) {
    super(message);
    this.name = 'KeystoneUnavailableError';
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }

  /** The number of seconds for `Retry-After`. */
  get retryAfterSeconds(): number {
    return Math.max(1, Math.ceil(this.retryAfterMs / 1000));
  }
}
