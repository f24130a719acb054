/** Outcome of one reconcile; if it throws instead, the key is retried with exponential backoff that events don't shorten. */
export interface Result {
  /** Requeue after this time even without an event. An event requeues it earlier. */
  readonly requeueAfterMs?: number;
  /**
   * A problem that was reported and backs off by itself: the key is requeued after a
   * growing delay, or earlier by an event.
   */
  readonly failure?: {
    /** Lower bound of the delay. */
    readonly minimumMs?: number | undefined;
  };
}

export interface ReconcileContext {
  /** Aborts when the process stops and the grace period has passed, or when the key becomes another process's. */
  readonly signal: AbortSignal;
  /** Whether a user asked for this run by changing a spec, deleting, or setting a retry annotation: operations in backoff are then tried immediately. */
  readonly userTriggered?: boolean;
}

/**
 * Brings the actual state one step closer to the spec of the object `key` (`namespace/name`, or the name of a cluster-scoped object).
 * Level-triggered: it gets a key, never an event, and reads caches. It may be killed at any instruction and is run again.
 */
export type Reconcile = (key: string, context: ReconcileContext) => Promise<Result>;
