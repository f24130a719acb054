/** One line of progress. */
export interface Step {
  /** Identifies the line for as long as it exists. */
  readonly key: string;
  readonly title: string;
  readonly state: 'waiting' | 'running' | 'done' | 'failed';
  readonly detail: string;
  /** How far it is, for a bar. */
  readonly progress?: Progress | undefined;
  /** One of many that another step sums up, such as a node of a pool: told while something is done to it. */
  readonly isPart?: boolean;
}

export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** Those of now, and those of before that are there no more: what they stood for is gone. Pure. */
export function withGone(before: readonly Step[], now: readonly Step[]): readonly Step[] {
  const keys = new Set(now.map(({ key }) => key));
  const gone = before.filter(({ key }) => !keys.has(key));
  return [...now, ...gone.map((step): Step => ({ ...step, state: 'done', detail: 'gone' }))];
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
