import type { Clock } from '@fairway/base/clock';
import type { Grant } from '@fairway/base/fence';
import type { KeyOwner, KeyWorker, Tenure } from '@fairway/kube/controller/key-owner';

/** A KeyOwner controlled by the test. */
export class TestOwner implements KeyOwner {
  readonly #tenures = new Map<string, Tenure>();
  readonly #workers = new Set<KeyWorker>();
  #clock: Clock | undefined;

  /** Uses this clock. Keys that were taken earlier count as taken now. */
  by(clock: Clock): this {
    if (this.#clock === undefined) {
      for (const [key, tenure] of this.#tenures) this.#tenures.set(key, { ...tenure, sinceMs: clock.now() });
    }
    this.#clock = clock;
    return this;
  }

  take(key: string, { isInherited }: Pick<Tenure, 'isInherited'>): void {
    this.#tenures.set(key, { sinceMs: this.#clock?.now() ?? 0, isInherited });
    for (const worker of this.#workers) worker.enqueueAll((other) => other === key);
  }

  /** Takes the key away from this process as if its lease had expired: workers are not drained. */
  lose(key: string): void {
    this.#tenures.delete(key);
    for (const worker of this.#workers) void worker.release?.((other) => other === key);
  }

  /** Takes the key away from this process as in a regular handover. */
  async release(key: string): Promise<void> {
    const isKey = (other: string) => other === key;
    this.#tenures.delete(key);
    await Promise.all([...this.#workers].map((worker) => worker.drained(isKey)));
    await Promise.all([...this.#workers].map(async (worker) => worker.release?.(isKey)));
  }

  stillOwns(key: string): boolean {
    return this.#tenures.has(key);
  }

  grant(key: string): Grant | undefined {
    const tenure = this.#tenures.get(key);
    return tenure && { subject: key, isValid: () => this.#tenures.get(key) === tenure };
  }

  tenure(key: string): Tenure | undefined {
    return this.#tenures.get(key);
  }

  register(worker: KeyWorker): void {
    this.#workers.add(worker);
  }
}
