import type { Clock } from '@fairway/base/clock';
import { RecentMap } from '@fairway/base/recent-map';

/** Controllers answer each other's writes for ever: after this time, or this many spans, what follows is a new trace. */
const MAX_AGE_MS = 30 * 60_000;
const MAX_SPANS = 5_000;
/** Traces that may still grow. */
const MAX_TRACES = 2_000;

/** Bounds how long a trace goes on, and how much it gets. */
export class TraceBounds {
  readonly #clock: Clock;
  readonly #traces = new RecentMap<{ readonly startedMs: number; spans: number }>(MAX_TRACES);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes room for a span; false if the trace has no more. A trace that was not known begins now. */
  begin(traceId: string): boolean {
    if (this.#traces.get(traceId) === undefined) this.#traces.set(traceId, { startedMs: this.#clock.now(), spans: 0 });
    return this.grow(traceId);
  }

  /** The same for one that has begun here, and is not forgotten yet. */
  grow(traceId: string): boolean {
    const trace = this.#traces.get(traceId);
    if (trace === undefined || trace.spans >= MAX_SPANS || !this.#isYoung(trace)) return false;
    trace.spans++;
    return true;
  }

  #isYoung({ startedMs }: { readonly startedMs: number }): boolean {
    return this.#clock.now() - startedMs < MAX_AGE_MS;
  }
}
