import type { InClusterNodePool } from '@fairway/api/kinds/in-cluster-node-pool';
import type { Clock } from '@fairway/base/clock';
import { RecentMap } from '@fairway/base/recent-map';

/** A quota may have grown. */
export const JUDGE_AGAIN_MS = 600_000;
const MAX_KNOWN = 200;

/** Pools that the cluster asked for in vain: the same wish is judged again after ten minutes. A process that starts judges once. */
export class Refusals {
  readonly #clock: Clock;
  readonly #known = new RecentMap<{ readonly wish: string; readonly ms: number }>(MAX_KNOWN);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(inner: InClusterNodePool): void {
    this.#known.set(inner.metadata.name ?? '', { wish: wishOf(inner), ms: this.#clock.now() });
  }

  isDue(inner: InClusterNodePool): boolean {
    const known = this.#known.get(inner.metadata.name ?? '');
    return known?.wish !== wishOf(inner) || this.#clock.now() >= known.ms + JUDGE_AGAIN_MS;
  }
}

function wishOf({ metadata }: InClusterNodePool): string {
  return `${metadata.uid}/${metadata.generation}`;
}
