import type { InClusterNodePool } from '@fairway/api/kinds/in-cluster-node-pool';
import type { Clock } from '@fairway/base/clock';
import { RecentMap } from '@fairway/base/recent-map';

/** A quota may have been raised. */
export const REFUSAL_RETRY_MS = 600_000;
const MAX_REMEMBERED_REFUSALS = 200;

/** Rejected requests for pools. The same spec is retried after ten minutes, and once after a process starts. */
export class Refusals {
  readonly #clock: Clock;
  readonly #known = new RecentMap<{ readonly spec: string; readonly ms: number }>(MAX_REMEMBERED_REFUSALS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(inner: InClusterNodePool): void {
    this.#known.set(inner.metadata.name ?? '', { spec: specOf(inner), ms: this.#clock.now() });
  }

  isDue(inner: InClusterNodePool): boolean {
    const known = this.#known.get(inner.metadata.name ?? '');
    return known?.spec !== specOf(inner) || this.#clock.now() >= known.ms + REFUSAL_RETRY_MS;
  }
}

function specOf({ metadata }: InClusterNodePool): string {
  return `${metadata.uid}/${metadata.generation}`;
}
