/** How one reconcile of a key ended; an exception instead means retry with backoff. */
export interface Result {
  /** Look again after so long even if nothing changes. An earlier event brings it forward. */
  readonly requeueAfterMs?: number;
}

/**
 * Brings the world one step closer to what the object `key` (`namespace/name`, or the name of a cluster-scoped object) asks for. It gets
 * a key and never an event: what happened is read from caches. It may be killed at any instruction and is run again.
 */
export type Reconcile = (key: string, context: { readonly signal: AbortSignal }) => Promise<Result>;
