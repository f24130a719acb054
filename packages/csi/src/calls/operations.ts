import { status } from '@grpc/grpc-js';
import { CallError } from './call-error.ts';

/** One operation at a time for each volume and snapshot, as the spec wants it: a second one is told to come again. */
export class Operations {
  readonly #underWay = new Map<string, string>();

  /** Runs `work` as the only one for this key; rejects with ABORTED if another one is at work, which `name` is the name of. */
  async run<T>(key: string, name: string, work: () => Promise<T>): Promise<T> {
    const other = this.#underWay.get(key);
    if (other !== undefined) {
      throw new CallError(
        status.ABORTED,
        `${other} is in progress for the same ${key.split('/')[0]}: retry when it has finished`,
      );
    }
    this.#underWay.set(key, name);
    try {
      return await work();
    } finally {
      this.#underWay.delete(key);
    }
  }
}

/** Keys of what operations are about. Names and ids of volumes are apart: a volume that is being made has no id yet. */
export const subject = {
  volumeName: (name: string) => `name/${name}`,
  volume: (id: string) => `volume/${id}`,
  snapshotName: (name: string) => `snapshot name/${name}`,
  snapshot: (id: string) => `snapshot/${id}`,
};
