/** How one reconcile of a key ended; an exception instead means that the key rests, longer each time, whatever events come. */
export interface Result {
  /** Look again after so long even if nothing changes. An earlier event brings it forward. */
  readonly requeueAfterMs?: number;
  /**
   * Something could not be done, has been told, and rests by itself: the key comes again after a pause that grows, and an event may
   * bring it forward to see what else has changed.
   */
  readonly failure?: {
    /** Not before so long. */
    readonly minimumMs?: number | undefined;
  };
}

export interface ReconcileContext {
  /** Aborts when the process stops and has waited long enough. */
  readonly signal: AbortSignal;
  /** Whether a person has asked for this run, by a change of a spec, a deletion or a retry annotation: what rests is tried at once. */
  readonly isAsked?: boolean;
}

/**
 * Brings the world one step closer to what the object `key` (`namespace/name`, or the name of a cluster-scoped object) asks for. It gets
 * a key and never an event: what happened is read from caches. It may be killed at any instruction and is run again.
 */
export type Reconcile = (key: string, context: ReconcileContext) => Promise<Result>;
