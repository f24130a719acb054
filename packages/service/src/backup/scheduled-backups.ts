import type { Clock, Timer } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { OffHost } from '@fairway/control-plane/off-host/off-host-settings';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { CommandError } from '../command-error.ts';
import type { BackupSchedule } from './backup-schedule.ts';
import type { Encryption } from './cipher.ts';
import { isContinuation } from './continuation.ts';
import {
  pruneBackups,
  type StoredBackup,
  storeBackup,
  storedBackups,
  type VerifiedBackup,
  verifyBackup,
} from './stored-backups.ts';
import { takeArchive } from './take-archive.ts';

/** The operator's settings. */
export interface BackupSettings {
  readonly schedule: BackupSchedule;
  /** How many backups the store keeps; at least 1. */
  readonly keep: number;
  /** Opens the store. */
  readonly offHost: (clock: Clock) => OffHost;
}

export interface ScheduledBackupsOptions extends Pick<BackupSettings, 'schedule' | 'keep'> {
  /** Closed by `stop`. */
  readonly offHost: OffHost;
  /** Must be able to read everything that is backed up. */
  readonly client: KubeClient;
  /** URL of the API, recorded as the source of the backup. */
  readonly server: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Encryption of a new backup; with slow key derivation by default. */
  readonly encryption?: () => Encryption;
}

const MIN_RETRY_MS = 10_000;
const MAX_RETRY_MS = 600_000;
/** Timers don't advance while the machine is asleep, and a check is cheap while no backup is due. */
const MAX_WAIT_MS = 600_000;

/**
 * Backs up Fairway's own objects to an object store on schedule. The store is its only state: a backup is due if the
 * newest readable one predates the last scheduled time, so a backup missed during downtime is made at startup. A
 * Fairway that does not continue the stored backups, such as a new machine before its restore, makes no backups. Only
 * one process may run this at a time.
 */
export class ScheduledBackups {
  readonly #options: ScheduledBackupsOptions;
  readonly #startedMs: number;
  readonly #abort = new AbortController();
  /** The newest backup known to be readable. */
  #newest: StoredBackup | undefined;
  /** The last backup made by an earlier process, until this process has made one. */
  #previous: VerifiedBackup | undefined;
  /** Names of unreadable backups; they are neither retried nor deleted, because another passphrase may open them. */
  readonly #unreadableNames = new Set<string>();
  #failures = 0;
  #failureCount = 0;
  #timer: Timer | undefined;
  #currentRun: Promise<void> | undefined;

  constructor(options: ScheduledBackupsOptions) {
    this.#options = options;
    this.#startedMs = options.clock.now();
    this.#timer = options.clock.after(0, () => this.#begin());
  }

  /** For metrics: times in milliseconds. */
  get counts(): { readonly newestMs: number | undefined; readonly overdueMs: number; readonly failures: number } {
    const { schedule, clock } = this.#options;
    const newestMs = this.#newest?.createdAtMs;
    const dueMs = newestMs === undefined ? this.#startedMs : schedule.nextDue(newestMs);
    return { newestMs, overdueMs: Math.max(clock.now() - dueMs, 0), failures: this.#failureCount };
  }

  /** Resolves when no work is in progress. */
  async waitUntilIdle(): Promise<void> {
    await this.#currentRun;
  }

  /** Resolves when all work has finished. Cannot be restarted. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#timer?.cancel();
    await this.#currentRun;
    await this.#options.offHost.store.close();
  }

  #begin(): void {
    this.#currentRun = this.#backUpIfDue().then((waitMs) => {
      if (this.#abort.signal.aborted) return;
      this.#timer = this.#options.clock.after(waitMs, () => this.#begin());
    });
  }

  /** Resolves with the time to wait. */
  async #backUpIfDue(): Promise<number> {
    const { schedule, clock, log } = this.#options;
    try {
      if (this.#isDue()) await this.#findNewest();
      if (this.#isDue()) await this.#backUp();
      this.#failures = 0;
      return Math.min(schedule.nextDue(clock.now()) - clock.now(), MAX_WAIT_MS);
    } catch (error) {
      if (this.#abort.signal.aborted) return 0;
      this.#failures++;
      this.#failureCount++;
      log.warn({ err: error, failures: this.#failures }, 'backup to the object store failed, will retry');
      return Math.min(MIN_RETRY_MS * 2 ** (this.#failures - 1), MAX_RETRY_MS);
    }
  }

  #isDue(): boolean {
    const { schedule, clock } = this.#options;
    return this.#newest === undefined || this.#newest.createdAtMs < schedule.lastDue(clock.now());
  }

  /** Checks the store for a newer backup, from an earlier process or made manually. */
  async #findNewest(): Promise<void> {
    const { offHost, clock, log } = this.#options;
    // Backups with future times were made while the clock was wrong.
    const stored = (await storedBackups(offHost)).filter(({ createdAtMs }) => createdAtMs <= clock.now());
    for (const candidate of stored.toReversed()) {
      if (candidate.name === this.#newest?.name) return;
      if (this.#unreadableNames.has(candidate.name)) continue;
      try {
        this.#previous = await verifyBackup(offHost, candidate, offHost.passphrase);
        this.#newest = candidate;
        return;
      } catch (error) {
        // An object that cannot be fetched is not necessarily damaged.
        if (!(error instanceof CommandError)) throw error;
        this.#unreadableNames.add(candidate.name);
        log.warn({ err: error, backup: candidate.name }, 'a backup in the object store cannot be read');
      }
    }
    if (stored.length > 0 && this.#newest === undefined) {
      throw new Error(
        `none of the ${stored.length} backups in ${offHost.store.description} can be read with this passphrase: correct the passphrase, or use another prefix`,
      );
    }
  }

  async #backUp(): Promise<void> {
    const { offHost, client, server, keep, clock, log } = this.#options;
    const startedMs = clock.now();
    const archive = await takeArchive(client, server, this.#abort.signal);
    this.#abort.signal.throwIfAborted();
    if (this.#previous && !isContinuation(archive, this.#previous.archive)) {
      throw new Error(
        `${offHost.store.description} contains backups of another Fairway installation: restore ${this.#previous.name} first, or use another prefix`,
      );
    }
    this.#previous = undefined;
    const { name, createdAtMs, backup } = await storeBackup(offHost, archive, {
      createdAtMs: startedMs,
      passphrase: offHost.passphrase,
      encryption: this.#options.encryption,
    });
    this.#newest = { name, createdAtMs };
    log.info({ backup: name, objects: archive.objects.length, bytes: backup.payload.length }, 'backed up');
    try {
      const deleted = await pruneBackups(offHost, keep, this.#newest);
      if (deleted.length > 0) log.info({ deleted }, 'deleted old backups');
    } catch (error) {
      log.warn({ err: error }, 'could not delete old backups; the next backup retries');
    }
  }
}
