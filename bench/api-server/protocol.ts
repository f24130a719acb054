import type { Plural } from './objects.ts';

/** Connection from a worker process to a server. */
export interface Target {
  readonly url: string;
  readonly certificateAuthority: string;
  readonly certificate: string;
  readonly privateKey: string;
}

/** The numbered objects that a worker uses: it creates each object once, or picks objects at random. */
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
      /** Concurrent requests, each on its own connection. */
      readonly concurrency: number;
      /** A `create` load also ends when the range is exhausted. */
      readonly durationMs: number;
    }
  | { readonly type: 'watch'; readonly namespace: string; readonly count: number }
  /** Writes that the watches observe: evenly spaced at `perSecond`, or four at a time without pauses. */
  | {
      readonly type: 'write';
      readonly namespace: string;
      readonly durationMs: number;
      readonly perSecond: number | undefined;
    }
  /** Completes when each of this worker's watches has received `writes` events since the previous command. */
  | { readonly type: 'delivered'; readonly writes: number }
  | { readonly type: 'unwatch' };

/** The response to every command. Times are in ms. */
export interface Result {
  /** Requests completed, watches opened, or events delivered. */
  readonly count: number;
  readonly elapsedMs: number;
  /** Latency of each request, or time from just before a write until its event arrived. */
  readonly latenciesMs: readonly number[];
  /**
   * CPU time of the worker since its last response: if it is close to the elapsed time, the worker was the bottleneck.
   */
  readonly cpuMs: number;
  /** Time of the last event, or of sending the first request, from `now()` in `wall-clock.ts`. */
  readonly atMs: number;
  readonly error?: string;
}
