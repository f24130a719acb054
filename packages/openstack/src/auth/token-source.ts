import type { Clock } from '@fairway/base/clock';
import { isOpenStackError, type OpenStackError } from '../http/openstack-error.ts';
import type { Token } from '../types/identity.ts';

export interface IssuedToken {
  /** The header X-Auth-Token. */
  readonly id: string;
  readonly token: Token;
  readonly expiresAtMs: number;
}

export interface TokenSourceOptions {
  readonly authenticate: () => Promise<IssuedToken>;
  readonly clock: Clock;
}

/** Tokens are renewed this long before they expire, or after 90% of its lifetime if that is later. */
const RENEW_BEFORE_MS = 5 * 60_000;

/** Minimum time between logins with a rejected credential: Keystone may lock out the user. */
const REFUSAL_TTL_MS = 10_000;

/** The current token of one credential; concurrent callers share one request. */
export class TokenSource {
  readonly #options: TokenSourceOptions;
  #current: IssuedToken | undefined;
  #renewAtMs = 0;
  #pending: Promise<IssuedToken> | undefined;
  #refusal: { readonly error: OpenStackError; readonly untilMs: number } | undefined;

  constructor(options: TokenSourceOptions) {
    this.#options = options;
  }

  /** Throws an {@link OpenStackError}, `unauthorized` when Keystone refuses the credential. */
  async get(): Promise<IssuedToken> {
    const nowMs = this.#options.clock.now();
    const current = this.#current;
    if (current !== undefined && nowMs < this.#renewAtMs) return current;
    if (this.#refusal !== undefined && nowMs < this.#refusal.untilMs) throw this.#refusal.error;

    this.#pending ??= this.#renew();
    if (current === undefined || nowMs >= current.expiresAtMs) return this.#pending;
    try {
      return await this.#pending;
    } catch {
      // Keystone is unavailable; the current token stays valid for a few more minutes.
      return current;
    }
  }

  /** Forces a new token; if Keystone rejects it, the current one is dropped. */
  async renew(): Promise<IssuedToken> {
    this.#refusal = undefined;
    this.#pending ??= this.#renew();
    try {
      return await this.#pending;
    } catch (error) {
      if (isRefusal(error)) this.#current = undefined;
      throw error;
    }
  }

  /** Drops a token that a service rejected; no effect if it has been renewed since. */
  invalidate(token: IssuedToken): void {
    if (this.#current === token) this.#current = undefined;
  }

  async #renew(): Promise<IssuedToken> {
    const { authenticate, clock } = this.#options;
    try {
      const issued = await authenticate();
      const lifeMs = issued.expiresAtMs - clock.now();
      this.#current = issued;
      this.#renewAtMs = issued.expiresAtMs - Math.min(RENEW_BEFORE_MS, lifeMs / 10);
      this.#refusal = undefined;
      return issued;
    } catch (error) {
      if (isRefusal(error)) {
        this.#refusal = { error, untilMs: clock.now() + REFUSAL_TTL_MS };
      }
      throw error;
    } finally {
      this.#pending = undefined;
    }
  }
}

/** Whether the credential or its permissions were refused. A trust for another trustee is `forbidden`. */
export function isRefusal(error: unknown): error is OpenStackError {
  return isOpenStackError(error, 'unauthorized') || isOpenStackError(error, 'forbidden');
}
