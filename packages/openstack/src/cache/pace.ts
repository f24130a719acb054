/** When a cache looks for changes of one kind, which a cloud takes its time for. */
export interface Pace {
  /** A change was seen `seenMs` after it was asked for, and not yet `unseenMs` after. */
  learn(unseenMs: number, seenMs: number): void;

  /** When to look next, in ms since the change was asked for, `elapsedMs` after that. */
  nextPollMs(elapsedMs: number): number;
}
