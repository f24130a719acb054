import type { Clock } from '@fairway/base/clock';
import { RecentMap } from '@fairway/base/recent-map';

/**
 * Controllers react to each other's writes forever, so a new trace begins after this time, or after this many spans.
 */
const MAX_AGE_MS = 30 * 60_000;
const MAX_SPANS = 5_000;
/** Maximum number of traces of each kind that may still grow. */
const MAX_TRACES = 2_000;

interface TraceUsage {
  readonly startedMs: number;
  spans: number;
}

/** Limits the duration and size of each trace. */
export class TraceBounds {
  readonly #clock: Clock;
  /**
   * Traces without writes yet. Unauthenticated clients and clients that only read displace only each other's traces,
   * never a trace that continues.
   */
  readonly #newTraces = new RecentMap<TraceUsage>(MAX_TRACES);
  readonly #writingTraces = new RecentMap<TraceUsage>(MAX_TRACES);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Reserves space for a span; returns false if the trace is full. Starts the trace if it is new. */
  begin(traceId: string): boolean {
    if (this.#find(traceId) === undefined) this.#newTraces.set(traceId, { startedMs: this.#clock.now(), spans: 0 });
    return this.reserveSpan(traceId);
  }

  /** Reserves space only in a trace that began here and is still remembered. */
  reserveSpan(traceId: string): boolean {
    const trace = this.#find(traceId);
    if (trace === undefined || trace.spans >= MAX_SPANS || !this.#isRecent(trace)) return false;
    trace.spans++;
    return true;
  }

  /** Records that this trace contains a write, so that reconciles may continue it. */
  recordWrite(traceId: string): void {
    const trace = this.#newTraces.get(traceId);
    if (trace === undefined) return;
    this.#newTraces.delete(traceId);
    this.#writingTraces.set(traceId, trace);
  }

  #find(traceId: string): TraceUsage | undefined {
    return this.#writingTraces.get(traceId) ?? this.#newTraces.get(traceId);
  }

  #isRecent({ startedMs }: TraceUsage): boolean {
    return this.#clock.now() - startedMs < MAX_AGE_MS;
  }
}
