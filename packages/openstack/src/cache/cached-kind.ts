import type { ListCall } from './resource-cache.ts';
import type { Identified } from './snapshot.ts';

/** A kind of resource that a project's cache keeps, listed with the client of its service. */
export interface CachedKind<Client, T extends Identified, Filter = never> {
  readonly list: (client: Client, filter: Filter | undefined, call: ListCall) => AsyncIterable<T>;
  /** How often it is listed while nothing is expected to change, over what the cache was made with. */
  readonly slowMs?: number;
}

/** Servers fail on their own and people delete them; the rest changes when Fairway changes it. */
export const STABLE_MS = 300_000;
/** Changed by the operator, a few times a year. */
export const CATALOGUE_MS = 900_000;
