import type { Clock, Timer } from '@fairway/base/clock';
import type { Token } from '@fairway/openstack/types/identity';

interface Followed {
  readonly token: Token;
  readonly ends: Set<() => void>;
  readonly timer: Timer;
}

/**
 * What is open by tokens, such as watches: it ends when its token does, or is found to be revoked. Nobody is asked for it; each token that somebody follows costs a
 * timer.
 */
export class FollowedTokens {
  readonly #clock: Clock;
  /** By digest. */
  readonly #followed = new Map<string, Followed>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#followed.size === 0;
  }

  /** Calls `end` once, unless the returned function is called before. */
  follow(digest: string, { token, expiresAtMs }: { token: Token; expiresAtMs: number }, end: () => void): () => void {
    const followed = this.#followed.get(digest) ?? {
      token,
      ends: new Set<() => void>(),
      timer: this.#clock.after(Math.max(expiresAtMs - this.#clock.now(), 0), () => this.end(digest)),
    };
    this.#followed.set(digest, followed);
    // The same function may be given twice.
    const own = () => end();
    followed.ends.add(own);
    return () => {
      followed.ends.delete(own);
      if (followed.ends.size === 0) this.#drop(digest, followed);
    };
  }

  /** Ends what is open by a token. */
  end(digest: string): void {
    const followed = this.#followed.get(digest);
    if (followed === undefined) return;
    this.#drop(digest, followed);
    for (const end of followed.ends) end();
  }

  /** Ends what is open by tokens that this holds of. */
  endThose(isRevoked: (token: Token) => boolean): void {
    for (const [digest, { token }] of this.#followed) if (isRevoked(token)) this.end(digest);
  }

  close(): void {
    for (const [digest, followed] of this.#followed) this.#drop(digest, followed);
  }

  #drop(digest: string, followed: Followed): void {
    followed.timer.cancel();
    if (this.#followed.get(digest) === followed) this.#followed.delete(digest);
  }
}
