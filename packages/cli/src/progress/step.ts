/** One line of progress. */
export interface Step {
  /** Stays the same while the line lives. */
  readonly key: string;
  readonly title: string;
  readonly state: 'waiting' | 'running' | 'done' | 'failed';
  readonly detail: string;
}

/** How something that is waited for stands. */
export type Outcome =
  | { readonly state: 'running' }
  | { readonly state: 'done' }
  /** It goes no further before somebody does something; Fairway tries on, so it may yet. */
  | { readonly state: 'blocked'; readonly reason: string; readonly message: string }
  /** It will not come about any more. */
  | { readonly state: 'failed'; readonly reason: string; readonly message: string };

export const RUNNING: Outcome = { state: 'running' };
export const DONE: Outcome = { state: 'done' };
