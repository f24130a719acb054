import type { Plural } from './objects.ts';

/** What a worker process needs to reach a server. */
export interface Target {
  readonly url: string;
  readonly certificateAuthority: string;
  readonly certificate: string;
  readonly privateKey: string;
}

/** Which objects, numbered, a worker works on: creates each of them once, or picks among them at random. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

export type Verb = 'create' | 'get' | 'list' | 'patch';

export type Command =
  | { readonly type: 'target'; readonly target: Target }
  | {
      readonly type: 'load';
      readonly verb: Verb;
      readonly plural: Plural;
      readonly range: Range;
      /** How many requests are in progress at a time, each on a connection of its own. */
      readonly concurrency: number;
      /** Creates end with the range. */
      readonly durationMs: number;
    }
  | { readonly type: 'watch'; readonly namespace: string; readonly count: number }
  /** Writes that the watches see: `perSecond` evenly spaced, or as many as are answered with four at a time. */
  | {
      readonly type: 'write';
      readonly namespace: string;
      readonly durationMs: number;
      readonly perSecond: number | undefined;
    }
  /** Answered when each of this worker's watches has seen `writes` events since the last time. */
  | { readonly type: 'delivered'; readonly writes: number }
  | { readonly type: 'unwatch' };

/** The answer to every command. Times are in ms. */
export interface Result {
  /** Requests answered, watches opened, or events delivered. */
  readonly count: number;
  readonly elapsedMs: number;
  /** Of each request, or from before a write to an event's arrival. */
  readonly latenciesMs: readonly number[];
  /** Of the worker's process since its last answer: near the time that passed, the worker is what was measured. */
  readonly cpuMs: number;
  /** When the last event arrived or the first request was sent, as `now()` of `wall-clock.ts`. */
  readonly atMs: number;
  readonly error?: string;
}
