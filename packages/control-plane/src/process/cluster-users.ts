import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { diskFiles } from './files.ts';
import type { ProcessUser } from './process-user.ts';

/** Range of user IDs reserved for Fairway on this machine, inclusive. Groups have the same IDs. */
export interface UserRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Above the range that systemd reserves for containers (up to 1,879,048,191) and below its foreign range (from 2,147,352,576), as
 * documented by systemd; adduser and subuid stay far below.
 */
export const DEFAULT_USERS: UserRange = { first: 1_900_000_000, last: 1_900_009_999 };

/**
 * The user IDs of this machine's clusters: one file per allocated ID, named by the ID, containing the cluster's UID.
 * Files are created atomically and exclusively, so no two clusters ever share an ID, even if processes are killed.
 */
export class ClusterUsers {
  readonly #folder: string;
  readonly #range: UserRange;
  readonly #random: () => number;

  constructor(folder: string, range: UserRange, random: () => number) {
    this.#folder = folder;
    this.#range = range;
    this.#random = random;
  }

  /** The user of a cluster, stable until released. Throws if the range is exhausted. */
  async userOf(clusterUid: string): Promise<ProcessUser> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const { first, last } = this.#range;
    const taken = new Set<number>();
    for (const name of await readdir(this.#folder)) {
      if (!/^\d+$/.test(name)) continue;
      // An ID that was released in the meantime is free.
      const holder = await readFile(join(this.#folder, name), 'utf8').catch(() => undefined);
      if (holder === clusterUid) return userOf(Number(name));
      if (holder !== undefined) taken.add(Number(name));
    }
    const count = last - first + 1;
    const start = Math.floor(this.#random() * count);
    for (let step = 0; step < count; step++) {
      const id = first + ((start + step) % count);
      if (!taken.has(id) && (await this.#take(id, clusterUid))) return userOf(id);
    }
    throw new Error(
      `all user IDs from ${first} to ${last} are in use by clusters: extend the range with --control-plane-users`,
    );
  }

  /** Releases a user once it owns none of the cluster's files. */
  async free(clusterUid: string, { uid }: ProcessUser): Promise<void> {
    const path = join(this.#folder, String(uid));
    const holder = await readFile(path, 'utf8').catch(() => undefined);
    if (holder === clusterUid) await rm(path, { force: true });
  }

  #take(id: number, clusterUid: string): Promise<boolean> {
    return diskFiles.create(join(this.#folder, String(id)), clusterUid);
  }
}

function userOf(id: number): ProcessUser {
  return { uid: id, gid: id };
}
