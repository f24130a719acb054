import type { Clock, Timer } from '@fairway/base/clock';
import type { Token } from '@fairway/openstack/types/identity';

interface FollowedToken {
  readonly token: Token;
  readonly ends: Set<() => void>;
  readonly timer: Timer;
}

/**
 * Ends long-lived requests, such as watches, when their token expires or is revoked. It makes no calls; each followed
 * token costs one timer.
 */
export class FollowedTokens {
  readonly #clock: Clock;
  /** Followed tokens by digest. */
  readonly #followed = new Map<string, FollowedToken>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#followed.size === 0;
  }

  /** Calls `end` once, unless the returned function is called first. */
  follow(digest: string, { token, expiresAtMs }: { token: Token; expiresAtMs: number }, end: () => void): () => void {
    const followed = this.#followed.get(digest) ?? {
      token,
      ends: new Set<() => void>(),
      timer: this.#clock.after(Math.max(expiresAtMs - this.#clock.now(), 0), () => this.end(digest)),
    };
    this.#followed.set(digest, followed);
    // The same function may be passed twice.
    const own = () => end();
    followed.ends.add(own);
    return () => {
      followed.ends.delete(own);
      if (followed.ends.size === 0) this.#drop(digest, followed);
    };
  }

  /** Ends all requests opened with a token. */
  end(digest: string): void {
    const followed = this.#followed.get(digest);
    if (followed === undefined) return;
    this.#drop(digest, followed);
    for (const end of followed.ends) end();
  }

  /** Ends all requests opened with matching tokens. */
  endRevoked(isRevoked: (token: Token) => boolean): void {
    for (const [digest, { token }] of this.#followed) if (isRevoked(token)) this.end(digest);
  }

  close(): void {
    for (const [digest, followed] of this.#followed) this.#drop(digest, followed);
  }

  #drop(digest: string, followed: FollowedToken): void {
    followed.timer.cancel();
    if (this.#followed.get(digest) === followed) this.#followed.delete(digest);
  }
}
