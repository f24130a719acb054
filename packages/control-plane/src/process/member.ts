import type { RunningProcess } from './running-process.ts';

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 60_000;
/** A process that has run for so long has recovered from what ended the ones before. */
const RECOVERED_MS = 60_000;

/** One component of a control plane: its process, and how often one has ended by itself. */
export class Member {
  process: RunningProcess | undefined;
  /** Ends in a row that nobody asked for. */
  failures = 0;
  /** Not to be started before. */
  retryAtMs = 0;
  lastFailure: string | undefined;

  /** A process that had run since then has ended; the next is started ever later. */
  fail(sinceMs: number, nowMs: number, complaint: string): void {
    this.failures = nowMs - sinceMs >= RECOVERED_MS ? 1 : this.failures + 1;
    this.retryAtMs = nowMs + Math.min(FIRST_RETRY_MS * 2 ** (this.failures - 1), LAST_RETRY_MS);
    this.lastFailure = complaint;
  }

  /** Forgets failures once the process has served for long enough. */
  noteRunning({ ready, sinceMs }: RunningProcess, nowMs: number): void {
    if (ready && nowMs - sinceMs >= RECOVERED_MS) this.failures = 0;
  }

  /** What it failed for is no more. */
  forgive(): void {
    this.failures = 0;
    this.retryAtMs = 0;
  }
}
