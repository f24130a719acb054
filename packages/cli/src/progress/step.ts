/** One line of progress. */
export interface Step {
  /** Identifies the line for as long as it exists. */
  readonly key: string;
  readonly title: string;
  readonly state: 'waiting' | 'running' | 'done' | 'failed';
  readonly detail: string;
  /** Progress, for a bar. */
  readonly progress?: Progress | undefined;
  /** One of many that another step summarizes, such as a node in a pool; shown only while it is active. */
  readonly isPart?: boolean;
}

export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** Adds steps that have disappeared since the last view as done, because their objects are gone. Pure. */
export function withRemovedSteps(before: readonly Step[], now: readonly Step[]): readonly Step[] {
  const keys = new Set(now.map(({ key }) => key));
  const removedSteps = before.filter(({ key }) => !keys.has(key));
  return [...now, ...removedSteps.map((step): Step => ({ ...step, state: 'done', detail: 'gone' }))];
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
