import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Timer } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { Files } from '../process/files.ts';
import type { SnapshotArchive } from './snapshot-archive.ts';

const RETRY_MS = 600_000;

/** Deletes off-host copies of deleted clusters. The only state is a file per cluster, so an unavailable store does not block deletions. */
export class OffHostRemovals {
  readonly #folder: string;
  readonly #archive: SnapshotArchive;
  readonly #files: Files;
  readonly #clock: Clock;
  readonly #log: Logger;
  #timer: Timer | undefined;
  #work: Promise<void> | undefined;
  #isStopped = false;

  constructor(folder: string, archive: SnapshotArchive, parts: { files: Files; clock: Clock; log: Logger }) {
    this.#folder = folder;
    this.#archive = archive;
    this.#files = parts.files;
    this.#clock = parts.clock;
    this.#log = parts.log;
    // Left behind by a killed process.
    this.#timer = this.#clock.after(0, () => this.#begin());
  }

  /** Records that a cluster's copies are to be deleted; resolves without waiting for the deletion. */
  async add(clusterUid: string): Promise<void> {
    await this.#files.write(join(this.#folder, clusterUid), '');
    this.#begin();
  }

  /** Resolves when no work is in progress. */
  async settled(): Promise<void> {
    await this.#work;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#work;
  }

  #begin(): void {
    if (this.#isStopped) return;
    this.#timer?.cancel();
    this.#work = (this.#work ?? Promise.resolve()).then(() => this.#removeAll());
  }

  async #removeAll(): Promise<void> {
    const uids = await readdir(this.#folder).catch(() => []);
    for (const uid of uids.filter((name) => !name.endsWith('.draft'))) {
      if (this.#isStopped) return;
      try {
        await this.#archive.removeAll(uid);
        await rm(join(this.#folder, uid), { force: true });
      } catch (error) {
        this.#log.warn(
          { err: error, cluster: uid },
          'could not delete off-host copies of a deleted cluster, will retry',
        );
        this.#timer = this.#clock.after(RETRY_MS, () => this.#begin());
        return;
      }
    }
  }
}
