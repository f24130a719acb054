import type { ListCall } from './resource-cache.ts';
import type { Identifiable } from './snapshot.ts';

/** A kind of resource in a project's cache, listed with its service's client. */
export interface CachedKind<Client, T extends Identifiable, Filter = never> {
  readonly list: (client: Client, filter: Filter | undefined, call: ListCall) => AsyncIterable<T>;
  /** Interval between lists while no change is expected; overrides the cache's default. */
  readonly slowMs?: number;
}

/** Servers fail spontaneously and users delete them; other kinds change only when Fairway changes them. */
export const STABLE_INTERVAL_MS = 300_000;
/** Changed by the operator a few times a year. */
export const CATALOGUE_INTERVAL_MS = 900_000;
