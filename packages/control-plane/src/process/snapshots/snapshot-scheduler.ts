import type { Clock, Timer } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { SnapshotInfo, SnapshotPolicy } from '../../runtime.ts';
import type { SnapshotFolder } from './snapshot-folder.ts';
import { snapshotName } from './snapshot-name.ts';
import { nextSnapshotAtMs, snapshotsToPrune } from './snapshot-schedule.ts';

export interface SnapshotSchedulerOptions {
  readonly folder: SnapshotFolder;
  /** etcd's snapshot stream, taken now. */
  readonly stream: () => AsyncIterable<Uint8Array>;
  /** Whether etcd is ready; otherwise no snapshot is attempted. */
  readonly canTake: () => boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onChange: () => void;
}

/** Poll interval while etcd is not ready yet. */
const RETRY_INTERVAL_MS = 1000;
const MIN_RETRY_MS = 10_000;
const MAX_RETRY_MS = 600_000;

/**
 * Takes one cluster's snapshots when they are due, and deletes those beyond the number to keep. The directory is its
 * only state.
 */
export class SnapshotScheduler {
  readonly #options: SnapshotSchedulerOptions;
  #policy: SnapshotPolicy | undefined;
  #needed: ReadonlySet<string> = new Set();
  #timer: Timer | undefined;
  #taking: Promise<unknown> | undefined;
  #failures = 0;
  #problem: string | undefined;
  #isStopped = false;

  constructor(options: SnapshotSchedulerOptions) {
    this.#options = options;
  }

  /** Sets when snapshots are due and which must not be deleted. */
  setDesired(policy: SnapshotPolicy | undefined, needed: ReadonlySet<string>): void {
    const isSame = JSON.stringify(policy) === JSON.stringify(this.#policy);
    this.#policy = policy;
    this.#needed = needed;
    if (policy === undefined) this.#problem = undefined;
    if (!isSame) this.#schedule(0);
  }

  /** Newest first; empty if their directory can't be read, which is reported as a problem. */
  list(): readonly SnapshotInfo[] {
    try {
      return this.#options.folder.list();
    } catch (error) {
      this.#problem = messageOf(error);
      return [];
    }
  }

  /** Why the last snapshot could not be taken. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Takes a snapshot now, regardless of the schedule. */
  async take(reason?: string): Promise<string> {
    const { folder, stream, clock, log } = this.#options;
    const name = snapshotName(clock.now(), reason);
    await folder.save(name, stream());
    log.info({ snapshot: name }, 'snapshot taken');
    return name;
  }

  /** Resolves when all writes have ended. Final. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#taking;
  }

  #schedule(delayMs: number): void {
    this.#timer?.cancel();
    if (this.#isStopped || this.#taking !== undefined || this.#policy === undefined) return;
    this.#timer = this.#options.clock.after(delayMs, () => this.#reconcile());
  }

  #reconcile(): void {
    const { canTake, clock } = this.#options;
    if (this.#policy === undefined || this.#taking !== undefined) return;
    const waitMs = nextSnapshotAtMs(this.#policy, this.list()[0]) - clock.now();
    if (waitMs > 0) return this.#schedule(waitMs);
    if (!canTake()) return this.#schedule(RETRY_INTERVAL_MS);
    this.#taking = this.#takeDue(this.#policy).then((delayMs) => {
      this.#taking = undefined;
      this.#options.onChange();
      this.#schedule(delayMs);
    });
  }

  /** Returns how long to wait before the next check. */
  async #takeDue({ keep }: SnapshotPolicy): Promise<number> {
    const { folder, log } = this.#options;
    try {
      await folder.removeDrafts();
      await this.take();
      for (const name of snapshotsToPrune(folder.list(), keep, this.#needed)) await folder.remove(name);
      this.#failures = 0;
      this.#problem = undefined;
      return 0;
    } catch (error) {
      this.#failures++;
      this.#problem = messageOf(error);
      log.warn({ err: error, failures: this.#failures }, 'snapshot failed');
      return Math.min(MIN_RETRY_MS * 2 ** (this.#failures - 1), MAX_RETRY_MS);
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
