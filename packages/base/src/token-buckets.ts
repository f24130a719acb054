import { RecentMap } from './recent-map.ts';

export interface Rate {
  /** Burst size. */
  readonly burst: number;
  readonly perMinute: number;
}

/** A token bucket for each key; the least recently used buckets are dropped and start full again. */
export class TokenBuckets {
  readonly #rate: Rate;
  readonly #buckets: RecentMap<{ tokens: number; atMs: number }>;

  constructor(rate: Rate, maxKeys: number) {
    this.#rate = rate;
    this.#buckets = new RecentMap(maxKeys);
  }

  /** Tokens currently available to the key. */
  left(key: string, nowMs: number): number {
    const { burst, perMinute } = this.#rate;
    const known = this.#buckets.get(key);
    if (known === undefined) return burst;
    return Math.min(burst, known.tokens + (Math.max(nowMs - known.atMs, 0) * perMinute) / 60_000);
  }

  /** Takes a token if one is available; returns whether it did. */
  tryTake(key: string, nowMs: number): boolean {
    const tokens = this.left(key, nowMs);
    const isAllowed = tokens >= 1;
    this.#buckets.set(key, { tokens: isAllowed ? tokens - 1 : tokens, atMs: nowMs });
    return isAllowed;
  }

  /** Returns an unused token. */
  refund(key: string, nowMs: number): void {
    this.#buckets.set(key, { tokens: Math.min(this.#rate.burst, this.left(key, nowMs) + 1), atMs: nowMs });
  }
}
