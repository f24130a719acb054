/** When a cache polls for changes of one kind that take a cloud some time. */
export interface Pace {
  /** A change was seen `seenMs` after it was requested, and not yet `unseenMs` after. */
  learn(unseenMs: number, seenMs: number): void;

  /** The time of the next poll, in ms since the change was requested, `elapsedMs` after that. */
  nextPollMs(elapsedMs: number): number;
}
