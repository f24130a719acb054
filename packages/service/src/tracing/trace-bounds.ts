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
  /**
   * Traces without writes yet: unauthenticated clients and readers only displace each other's, never a trace that
   * continues.
   */
  readonly #newTraces = new RecentMap<Growth>(MAX_TRACES);
  readonly #writingTraces = new RecentMap<Growth>(MAX_TRACES);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Reserves space for a span; false if the trace is full. An unknown trace starts now. */
  begin(traceId: string): boolean {
    if (this.#find(traceId) === undefined) this.#newTraces.set(traceId, { startedMs: this.#clock.now(), spans: 0 });
    return this.grow(traceId);
  }

  /** Reserves space only in a trace that began here and is still remembered. */
  grow(traceId: string): boolean {
    const trace = this.#find(traceId);
    if (trace === undefined || trace.spans >= MAX_SPANS || !this.#isRecent(trace)) return false;
    trace.spans++;
    return true;
  }

  /** Records a write in this trace: reconciles may continue it. */
  recordWrite(traceId: string): void {
    const trace = this.#newTraces.get(traceId);
    if (trace === undefined) return;
    this.#newTraces.delete(traceId);
    this.#writingTraces.set(traceId, trace);
  }

  #find(traceId: string): Growth | undefined {
    return this.#writingTraces.get(traceId) ?? this.#newTraces.get(traceId);
  }

  #isRecent({ startedMs }: Growth): boolean {
    return this.#clock.now() - startedMs < MAX_AGE_MS;
  }
}
