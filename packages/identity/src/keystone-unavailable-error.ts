export type KeystoneUnavailableReason =
  /** No answer, or none of Keystone's. */
  | 'unreachable'
  /** Fairway's own credential is not accepted any more: the operator has to act. */
  | 'credentialRefused'
  /** Fairway's own user may not validate tokens: the operator has to act. */
  | 'notPermitted';

/** Thrown when Keystone can't be asked whose a token is: that makes the token neither good nor bad. */
export class KeystoneUnavailableError extends Error {
  readonly reason: KeystoneUnavailableReason;
  readonly retryAfterMs: number;

  constructor(reason: KeystoneUnavailableReason, message: string, retryAfterMs: number) {
    super(message);
    this.name = 'KeystoneUnavailableError';
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }

  /** The same for `Retry-After`. */
  get retryAfterSeconds(): number {
    return Math.max(1, Math.ceil(this.retryAfterMs / 1000));
  }
}
