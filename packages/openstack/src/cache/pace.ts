/** Decides when a cache polls for a kind of change that takes a cloud some time. */
export interface Pace {
  /** Records that a change was seen `seenMs` after it was requested, but not yet after `unseenMs`. */
  learn(unseenMs: number, seenMs: number): void;

  /** The time of the next poll in ms since the change was requested, given that `elapsedMs` have passed. */
  nextPollMs(elapsedMs: number): number;
}
