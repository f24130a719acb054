/** One line of progress. */
export interface Step {
  /** Identifies the line for as long as it exists. */
  readonly key: string;
  readonly title: string;
  readonly state: 'waiting' | 'running' | 'done' | 'failed';
  readonly detail: string;
}

/** State of a step. */
export type Outcome =
  | { readonly state: 'running' }
  | { readonly state: 'done' }
  /** Blocked until somebody acts; Fairway keeps retrying, so it may still succeed. */
  | { readonly state: 'blocked'; readonly reason: string; readonly message: string }
  /** Failed permanently. */
  | { readonly state: 'failed'; readonly reason: string; readonly message: string };

export const RUNNING: Outcome = { state: 'running' };
export const DONE: Outcome = { state: 'done' };
