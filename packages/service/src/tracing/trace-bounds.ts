import type { Clock } from '@fairway/base/clock';
import { RecentMap } from '@fairway/base/recent-map';

/** Controllers answer each other's writes for ever: after this time, or this many spans, what follows is a new trace. */
const MAX_AGE_MS = 30 * 60_000;
const MAX_SPANS = 5_000;
/** Traces that may still grow, of each sort. */
const MAX_TRACES = 2_000;

interface Growth {
  readonly startedMs: number;
  spans: number;
}

/** Bounds how long a trace goes on, and how much it gets. */
export class TraceBounds {
  readonly #clock: Clock;
  /** Those that wrote nothing yet: strangers and readers push out each other, and nobody whose work goes on. */
  readonly #new = new RecentMap<Growth>(MAX_TRACES);
  readonly #writing = new RecentMap<Growth>(MAX_TRACES);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes room for a span; false if the trace has no more. A trace that was not known begins now. */
  begin(traceId: string): boolean {
    if (this.#find(traceId) === undefined) this.#new.set(traceId, { startedMs: this.#clock.now(), spans: 0 });
    return this.grow(traceId);
  }

  /** The same for one that has begun here, and is not forgotten yet. */
  grow(traceId: string): boolean {
    const trace = this.#find(traceId);
    if (trace === undefined || trace.spans >= MAX_SPANS || !this.#isYoung(trace)) return false;
    trace.spans++;
    return true;
  }

  /** Something was written in this trace: others' work may follow from it. */
  wrote(traceId: string): void {
    const trace = this.#new.get(traceId);
    if (trace === undefined) return;
    this.#new.delete(traceId);
    this.#writing.set(traceId, trace);
  }

  #find(traceId: string): Growth | undefined {
    return this.#writing.get(traceId) ?? this.#new.get(traceId);
  }

  #isYoung({ startedMs }: Growth): boolean {
    return this.#clock.now() - startedMs < MAX_AGE_MS;
  }
}
