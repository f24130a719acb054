import type { Clock, Timer } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { z } from 'zod';
import type { EtcdCall } from './etcd-client.ts';

const int64 = z.string().transform(Number);
const etcdStatus = z.object({
  header: z.object({ member_id: z.string(), revision: int64 }),
  dbSize: int64,
});

/**
 * Fraction of the quota below which writes are allowed again, so that etcd's next page does not immediately exceed it
 * again.
 */
const FREE_SPACE_THRESHOLD = 0.9;

/**
 * Clears an etcd's NOSPACE alarm if there is space again, because the quota was raised or objects were deleted.
 * kube-apiserver can't compact such a database, because compaction starts with a write. Returns whether etcd accepts
 * writes now.
 */
export async function reclaimSpace(call: EtcdCall, quotaBytes: number): Promise<boolean> {
  const hasFreeSpace = ({ dbSize }: z.infer<typeof etcdStatus>) => dbSize < quotaBytes * FREE_SPACE_THRESHOLD;
  let status = etcdStatus.parse(await call('/v3/maintenance/status', {}));
  if (!hasFreeSpace(status)) {
    try {
      await call('/v3/kv/compaction', { revision: String(status.header.revision), physical: true });
    } catch (error) {
      // No write has succeeded since the last attempt.
      if (!String(error).includes('has been compacted')) throw error;
    }
    await call('/v3/maintenance/defragment', {});
    status = etcdStatus.parse(await call('/v3/maintenance/status', {}));
  }
  if (!hasFreeSpace(status)) return false;
  await call('/v3/maintenance/alarm', { action: 'DEACTIVATE', alarm: 'NOSPACE', memberID: status.header.member_id });
  return true;
}

export interface DatabaseDefragmenterOptions {
  readonly call: EtcdCall;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onChange: () => void;
}

const RETRY_MS = 60_000;

/** Reclaims space in one cluster's database when it is full; retries every minute while nothing can be reclaimed. */
export class DatabaseDefragmenter {
  readonly #options: DatabaseDefragmenterOptions;
  #work: Promise<void> | undefined;
  #retry: Timer | undefined;
  #retryAtMs = 0;
  #quotaBytes: number | undefined;

  constructor(options: DatabaseDefragmenterOptions) {
    this.#options = options;
  }

  /** Starts an attempt if one is due; a larger quota triggers one immediately. */
  step(isFull: boolean, quotaBytes: number): void {
    if (!isFull || this.#work !== undefined) return;
    if (this.#options.clock.now() < this.#retryAtMs && quotaBytes === this.#quotaBytes) return;
    this.#quotaBytes = quotaBytes;
    this.#work = this.#run(quotaBytes);
  }

  /** Resolves when no attempt is in progress. */
  async stop(): Promise<void> {
    this.#retry?.cancel();
    await this.#work;
  }

  async #run(quotaBytes: number): Promise<void> {
    const { call, clock, log, onChange } = this.#options;
    try {
      const isReclaimed = await reclaimSpace(call, quotaBytes);
      log.warn({ quotaBytes, hasRoom: isReclaimed }, 'the database has reached its quota');
    } catch (error) {
      log.warn({ err: error }, 'could not defragment a full database');
    }
    this.#retryAtMs = clock.now() + RETRY_MS;
    this.#retry?.cancel();
    this.#retry = clock.after(RETRY_MS, onChange);
    this.#work = undefined;
  }
}
