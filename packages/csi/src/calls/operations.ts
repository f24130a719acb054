import { status } from '@grpc/grpc-js';
import { CallError } from './call-error.ts';

/**
 * Runs one operation at a time for each volume and snapshot, as the spec requires: a concurrent second operation is
 * rejected, and must be retried.
 */
export class Operations {
  readonly #inProgress = new Map<string, string>();

  /**
   * Runs `work` as operation `name`, exclusively for this key; rejects with ABORTED while another operation is in
   * progress.
   */
  async run<T>(key: string, name: string, work: () => Promise<T>): Promise<T> {
    const other = this.#inProgress.get(key);
    if (other !== undefined) {
      throw new CallError(
        status.ABORTED,
        `${other} is in progress for the same ${key.split('/')[0]}: retry when it has finished`,
      );
    }
    this.#inProgress.set(key, name);
    try {
      return await work();
    } finally {
      this.#inProgress.delete(key);
    }
  }
}

/**
 * Keys of the objects that operations change. Volume names and IDs have separate keys: a volume that is being
 * created has no ID yet.
 */
export const subject = {
  volumeName: (name: string) => `name/${name}`,
  volume: (id: string) => `volume/${id}`,
  snapshotName: (name: string) => `snapshot name/${name}`,
  snapshot: (id: string) => `snapshot/${id}`,
};
