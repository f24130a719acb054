import { createHash, timingSafeEqual } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SnapshotInfo } from '../../runtime.ts';
import { syncFolder } from '../files.ts';
import { takenAtMsOf } from './snapshot-name.ts';

/** etcd appends the SHA-256 of the database, both in files and in the stream. */
const HASH_BYTES = 32;
const SUFFIX = '.db';
const DRAFT_SUFFIX = '.draft';

/** A snapshot that is corrupt or truncated. */
export class DamagedSnapshotError extends Error {
  override readonly name = 'DamagedSnapshotError';
}

/**
 * The snapshots of one cluster: files in etcd's own format, accessible only to their owner. A file with its final name
 * is complete.
 */
export class SnapshotFolder {
  readonly path: string;
  /** Temporary files that this process is writing. */
  readonly #writing = new Set<string>();

  constructor(path: string) {
    this.path = path;
  }

  /** Newest first. */
  list(): readonly SnapshotInfo[] {
    if (!existsSync(this.path)) return [];
    return readdirSync(this.path)
      .flatMap((file): SnapshotInfo[] => {
        const name = file.endsWith(SUFFIX) ? file.slice(0, -SUFFIX.length) : '';
        const takenAtMs = takenAtMsOf(name);
        const size = statSync(join(this.path, file), { throwIfNoEntry: false })?.size;
        return takenAtMs === undefined || size === undefined ? [] : [{ name, takenAtMs, sizeBytes: size }];
      })
      .sort((a, b) => b.takenAtMs - a.takenAtMs);
  }

  fileOf(name: string): string {
    return join(this.path, name + SUFFIX);
  }

  /** Writes etcd's stream to a file, and renames it to its final name once its checksum matches and it is on disk. */
  async save(name: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    const draft = this.fileOf(name) + DRAFT_SUFFIX;
    this.#writing.add(draft);
    try {
      const file = await open(draft, 'w', 0o600);
      try {
        const hash = new TrailingHash();
        for await (const chunk of chunks) {
          hash.update(chunk);
          await file.write(chunk);
        }
        if (!hash.isIntact()) throw new DamagedSnapshotError('etcd sent a truncated or damaged snapshot');
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, this.fileOf(name));
      await syncFolder(this.path);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    } finally {
      this.#writing.delete(draft);
    }
  }

  /** Throws DamagedSnapshotError if a file no longer matches its checksum. */
  async verify(name: string): Promise<void> {
    const hash = new TrailingHash();
    for await (const chunk of createReadStream(this.fileOf(name))) hash.update(chunk as Buffer);
    if (!hash.isIntact()) {
      throw new DamagedSnapshotError(
        `snapshot ${name} is damaged: its checksum does not match; select another snapshot`,
      );
    }
  }

  async remove(name: string): Promise<void> {
    await rm(this.fileOf(name), { force: true });
  }

  /** Deletes temporary files left by killed processes. */
  async removeDrafts(): Promise<void> {
    if (!existsSync(this.path)) return;
    const drafts = (await readdir(this.path)).filter((file) => file.endsWith(SUFFIX + DRAFT_SUFFIX));
    for (const file of drafts) {
      const draft = join(this.path, file);
      if (!this.#writing.has(draft)) await rm(draft, { force: true });
    }
  }

  async removeAll(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}

/** Hashes all but the last 32 bytes of a stream and compares the hash to them. */
class TrailingHash {
  readonly #hash = createHash('sha256');
  #tail: Buffer = Buffer.alloc(0);

  update(chunk: Uint8Array): void {
    const known = Buffer.concat([this.#tail, chunk]);
    const split = Math.max(known.length - HASH_BYTES, 0);
    this.#hash.update(known.subarray(0, split));
    this.#tail = known.subarray(split);
  }

  isIntact(): boolean {
    return this.#tail.length === HASH_BYTES && timingSafeEqual(this.#hash.digest(), this.#tail);
  }
}
