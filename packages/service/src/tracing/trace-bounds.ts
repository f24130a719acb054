import type { Clock } from '@fairway/base/clock';
import { RecentMap } from '@fairway/base/recent-map';

/** Controllers react to each other's writes forever: after this time, or this many spans, a new trace begins. */
const MAX_AGE_MS = 30 * 60_000;
const MAX_SPANS = 5_000;
/** Traces that may still grow, of each kind. */
const MAX_TRACES = 2_000;

interface Growth {
  readonly startedMs: number;
  spans: number;
}

/** Limits the duration and size of each trace. */
export class TraceBounds {
  readonly #clock: Clock;
  /** Traces without writes yet: strangers and readers only displace each other, never a trace that continues. */
  readonly #new = new RecentMap<Growth>(MAX_TRACES);
  readonly #writing = new RecentMap<Growth>(MAX_TRACES);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Reserves space for a span; false if the trace is full. An unknown trace begins now. */
  begin(traceId: string): boolean {
    if (this.#find(traceId) === undefined) this.#new.set(traceId, { startedMs: this.#clock.now(), spans: 0 });
    return this.grow(traceId);
  }

  /** The same for a trace that began here and is not forgotten yet. */
  grow(traceId: string): boolean {
    const trace = this.#find(traceId);
    if (trace === undefined || trace.spans >= MAX_SPANS || !this.#isYoung(trace)) return false;
    trace.spans++;
    return true;
  }

  /** Records a write in this trace: reconciles may continue it. */
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
