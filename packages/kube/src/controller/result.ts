/**
 * Outcome of one reconcile. If it throws instead, the key is retried with exponential backoff that events don't
 * shorten.
 */
export interface Result {
  /** Requeue after this time even without an event. An event requeues the key earlier. */
  readonly requeueAfterMs?: number;
  /** A reported problem that backs off: the key is requeued after a growing delay, or earlier by an event. */
  readonly failure?: {
    /** Lower bound of the delay. */
    readonly minimumMs?: number | undefined;
  };
}

export interface ReconcileContext {
  /** Aborts when the process stops and the grace period has passed, or when another process takes over the key. */
  readonly signal: AbortSignal;
  /**
   * Whether a user triggered this run by changing a spec, deleting an object, or setting a retry annotation. Operations
   * in backoff are then tried immediately.
   */
  readonly userTriggered?: boolean;
}

/**
 * Brings the actual state one step closer to the spec of the object `key` (`namespace/name`, or the name of a
 * cluster-scoped object). Level-triggered: it gets a key, never an event, and reads caches. It may be killed at any
 * point and is then run again.
 */
export type Reconcile = (key: string, context: ReconcileContext) => Promise<Result>;
