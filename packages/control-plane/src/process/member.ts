import type { RunningProcess } from './running-process.ts';

const MIN_RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;
/** A process that has run for this long has recovered from earlier failures. */
const BACKOFF_RESET_MS = 60_000;

/** One component of a control plane, with its process and failure count. */
export class Member {
  process: RunningProcess | undefined;
  /** Consecutive unexpected exits. */
  failures = 0;
  /** Earliest time of the next start. */
  retryAtMs = 0;
  lastFailure: string | undefined;

  /** Records that a process that started at `sinceMs` has exited; the next start backs off exponentially. */
  fail(sinceMs: number, nowMs: number, complaint: string): void {
    this.failures = nowMs - sinceMs >= BACKOFF_RESET_MS ? 1 : this.failures + 1;
    this.retryAtMs = nowMs + Math.min(MIN_RETRY_MS * 2 ** (this.failures - 1), MAX_RETRY_MS);
    this.lastFailure = complaint;
  }

  /** Resets the failures once the process has run for long enough. */
  resetFailuresWhenStable({ ready, sinceMs }: RunningProcess, nowMs: number): void {
    if (ready && nowMs - sinceMs >= BACKOFF_RESET_MS) this.failures = 0;
  }

  /** Resets the backoff because the cause of the failures has been removed. */
  resetBackoff(): void {
    this.failures = 0;
    this.retryAtMs = 0;
  }
}
