export const REJECTION_REASONS = ['queue-full', 'concurrency-limit', 'time-out'] as const;
export type FlowRejection = (typeof REJECTION_REASONS)[number];

/** Upper bounds in seconds, same as upstream. */
export const WAIT_BUCKETS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];

/** Request counts of a FlowSchema at one priority level. */
export class FlowCounts {
  dispatched = 0;
  executing = 0;
  executingSeats = 0;
  waiting = 0;
  waitingSeats = 0;
  /** Created with the first rejected or waiting request. */
  rejected: Map<FlowRejection, number> | undefined;
  waits: WaitHistograms | undefined;

  reject(reason: FlowRejection): void {
    this.rejected ??= new Map();
    this.rejected.set(reason, (this.rejected.get(reason) ?? 0) + 1);
  }

  recordWait(ms: number, isExecuted: boolean): void {
    this.waits ??= { executed: new WaitHistogram(), rejected: new WaitHistogram() };
    this.waits[isExecuted ? 'executed' : 'rejected'].observe(ms / 1000);
  }
}

export interface WaitHistograms {
  readonly executed: WaitHistogram;
  readonly rejected: WaitHistogram;
}

/** Counts by bucket; the last one is unbounded. */
export class WaitHistogram {
  sum = 0;
  readonly buckets: number[] = Array.from({ length: WAIT_BUCKETS.length + 1 }, () => 0);

  observe(seconds: number): void {
    this.sum += seconds;
    const index = WAIT_BUCKETS.findIndex((bound) => seconds <= bound);
    const at = index < 0 ? WAIT_BUCKETS.length : index;
    this.buckets[at] = (this.buckets[at] ?? 0) + 1;
  }
}
