import { MAX_DEPTH, measureJson } from '../object/json-bounds.ts';
import type { KubeObject } from '../object/meta.ts';

export interface CacheLimits {
  readonly maxObjects: number;
  /** Maximum JSON size of the cached objects, in approximate characters. */
  readonly maxChars: number;
  /**
   * Limit for one informer of a kind that tenants can create, which leaves room for other informers. `maxChars` by
   * default.
   */
  readonly maxCharsPerInformer?: number;
}

/** An informer's share of a budget. */
export interface CacheUsage {
  readonly objects: number;
  readonly chars: number;
}

export const NOTHING_HELD: CacheUsage = { objects: 0, chars: 0 };

/** The server has more objects than may be cached. A relist reads as much as the limit allows, so it is delayed. */
export class CacheOverflowError extends Error {
  override readonly name = 'CacheOverflowError';
}

/** Shared limit for the informers for one API server where tenants determine the number and size of objects. */
export class CacheBudget {
  readonly #limits: CacheLimits;
  readonly #usage = new Map<object, CacheUsage>();
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

  /**
   * Records the current usage of `holder`. If the total would be too large, throws a CacheOverflowError and records
   * nothing.
   */
  setUsage(holder: object, usage: CacheUsage): void {
    const before = this.#usage.get(holder) ?? NOTHING_HELD;
    const objects = this.#objects - before.objects + usage.objects;
    const chars = this.#chars - before.chars + usage.chars;
    const { maxObjects, maxChars, maxCharsPerInformer = maxChars } = this.#limits;
    const isIncrease = usage.objects > before.objects || usage.chars > before.chars;
    if (isIncrease && (objects > maxObjects || chars > maxChars || usage.chars > maxCharsPerInformer)) {
      throw new CacheOverflowError(
        `the API server has more objects than can be cached: ${maxObjects} with ${maxChars} characters in total`,
      );
    }
    this.#usage.set(holder, usage);
    this.#objects = objects;
    this.#chars = chars;
  }

  release(holder: object): void {
    this.setUsage(holder, NOTHING_HELD);
    this.#usage.delete(holder);
  }
}
