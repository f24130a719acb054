import { type Clock, formatTime, type Timer } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { SnapshotInfo } from '../runtime.ts';
import type { SnapshotArchive } from './snapshot-archive.ts';

export interface OffHostReplicatorOptions {
  readonly clusterUid: string;
  readonly archive: SnapshotArchive;
  readonly fileOf: (name: string) => string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onChange: () => void;
}

export interface DesiredArchive {
  /** This machine's snapshots, newest first. */
  readonly list: readonly SnapshotInfo[];
  readonly keep: number;
  /** Metadata that makes a snapshot usable, as JSON. */
  readonly record: string;
  readonly mayAct: () => boolean;
}

const MIN_RETRY_MS = 10_000;
const MAX_RETRY_MS = 600_000;

/** Copies one cluster's snapshots off this machine as they appear, and deletes the oldest copies. The store is its only state. */
export class OffHostReplicator {
  readonly #options: OffHostReplicatorOptions;
  #desired: DesiredArchive | undefined;
  /** What the store is known to contain, by name. */
  #archived: Map<string, SnapshotInfo> | undefined;
  #work: Promise<void> | undefined;
  #timer: Timer | undefined;
  #failures = 0;
  #retryAtMs = 0;
  #failure: string | undefined;
  #isStopped = false;

  constructor(options: OffHostReplicatorOptions) {
    this.#options = options;
  }

  /** Starts outstanding work; does nothing while it is in progress, or until a failure is due for a retry. */
  setDesired(desired: DesiredArchive): void {
    this.#desired = desired;
    this.#reconcile();
  }

  /** Known contents of the store. */
  get copies(): readonly SnapshotInfo[] {
    return [...(this.#archived?.values() ?? [])];
  }

  /**
   * Why the newest snapshot has no copy, with the time of the newest copy. The text stays the same as long as the
   * problem lasts.
   */
  get problem(): string | undefined {
    if (this.#failure === undefined) return undefined;
    const newest = Math.max(...this.copies.map(({ takenAtMs }) => takenAtMs));
    const since = Number.isFinite(newest) ? `not off-host since ${formatTime(newest)}` : 'not off-host yet';
    return `${since}: ${this.#failure}`;
  }

  /** Resolves when no work is in progress. */
  async settled(): Promise<void> {
    while (this.#work !== undefined) await this.#work;
  }

  /** Resolves when all work has ended. Final. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#work;
  }

  #reconcile(): void {
    const { clock, onChange } = this.#options;
    if (this.#isStopped || this.#work !== undefined || !this.#desired?.mayAct()) return;
    if (clock.now() < this.#retryAtMs) return;
    const isKnown = this.#archived !== undefined;
    if (isKnown && this.#missingCopies(this.#desired).length === 0) return;
    const before = this.problem;
    this.#work = this.#copy().then(() => {
      this.#work = undefined;
      if (this.problem !== before || (!isKnown && this.#archived !== undefined)) onChange();
      if (this.#failure === undefined) this.#reconcile();
    });
  }

  /** Newest first. */
  #missingCopies({ list, keep }: DesiredArchive): readonly SnapshotInfo[] {
    return list.slice(0, keep).filter(({ name }) => !this.#archived?.has(name));
  }

  async #copy(): Promise<void> {
    const { archive, clusterUid, fileOf, clock, log } = this.#options;
    try {
      this.#archived ??= new Map((await archive.list(clusterUid)).map((copy) => [copy.name, copy]));
      for (;;) {
        const desired = this.#desired;
        const [next] = desired === undefined ? [] : this.#missingCopies(desired);
        if (desired === undefined || next === undefined || this.#isStopped || !desired.mayAct()) break;
        await archive.upload(
          clusterUid,
          next.name,
          fileOf(next.name),
          desired.record,
          () => !this.#isStopped && desired.mayAct(),
        );
        this.#archived.set(next.name, next);
        await this.#prune(this.#archived, desired);
      }
      this.#failures = 0;
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
      const delayMs = Math.min(MIN_RETRY_MS * 2 ** this.#failures++, MAX_RETRY_MS);
      log.warn({ err: error, failures: this.#failures }, 'could not copy a snapshot off this machine');
      this.#retryAtMs = clock.now() + delayMs;
      this.#timer = clock.after(delayMs, () => this.#reconcile());
    }
  }

  async #prune(archived: Map<string, SnapshotInfo>, { keep, list }: DesiredArchive): Promise<void> {
    const { archive, clusterUid } = this.#options;
    const oldest = [...archived.values()].sort((a, b) => b.takenAtMs - a.takenAtMs).slice(Math.max(keep, 1));
    for (const { name } of oldest) {
      await archive.remove(clusterUid, name);
      archived.delete(name);
    }
    await archive.removeAbandonedUploads(clusterUid, list);
  }
}
