import { MAX_DEPTH, measureJson } from '../object/json-bounds.ts';
import type { KubeObject } from '../object/meta.ts';

export interface CacheLimits {
  readonly maxObjects: number;
  /** Approximate characters of cached objects as JSON. */
  readonly maxChars: number;
  /** Limit of one informer: kinds that tenants can create leave room for the others. `maxChars` by default. */
  readonly maxCharsOfOne?: number;
}

/** An informer's share of a budget. */
export interface Holding {
  readonly objects: number;
  readonly chars: number;
}

export const NOTHING_HELD: Holding = { objects: 0, chars: 0 };

/** The server has more objects than may be cached: a relist costs as much as the limit, so it is delayed. */
export class CacheOverflowError extends Error {
  override readonly name = 'CacheOverflowError';
}

/** Joint limit of the informers of one API server whose tenants determine number and size of objects. */
export class CacheBudget {
  readonly #limits: CacheLimits;
  readonly #held = new Map<object, Holding>();
  #objects = 0;
  #chars = 0;

  constructor(limits: CacheLimits) {
    this.#limits = limits;
  }

  /** The cost of the object. Throws a CacheOverflowError if it exceeds the whole budget. */
  costOf(object: KubeObject): number {
    const { maxChars } = this.#limits;
    const measured = measureJson(object, { maxDepth: MAX_DEPTH, maxChars });
    if (typeof measured === 'number') return measured;
    throw new CacheOverflowError(
      `an object is nested deeper than ${MAX_DEPTH} levels or has more than ${maxChars} characters`,
    );
  }

  /** Records the current size of `holder`; throws a CacheOverflowError, and records nothing, if the total would be too large. */
  hold(holder: object, holding: Holding): void {
    const before = this.#held.get(holder) ?? NOTHING_HELD;
    const objects = this.#objects - before.objects + holding.objects;
    const chars = this.#chars - before.chars + holding.chars;
    const { maxObjects, maxChars, maxCharsOfOne = maxChars } = this.#limits;
    const isMore = holding.objects > before.objects || holding.chars > before.chars;
    if (isMore && (objects > maxObjects || chars > maxChars || holding.chars > maxCharsOfOne)) {
      throw new CacheOverflowError(
        `the API server has more objects than can be cached: ${maxObjects} with ${maxChars} characters in total`,
      );
    }
    this.#held.set(holder, holding);
    this.#objects = objects;
    this.#chars = chars;
  }

  release(holder: object): void {
    this.hold(holder, NOTHING_HELD);
    this.#held.delete(holder);
  }
}
