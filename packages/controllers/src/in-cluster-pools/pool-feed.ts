import { type InClusterNodePool, inClusterNodePools } from '@fairway/api/kinds/in-cluster-node-pool';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { Informer } from '@fairway/kube/client/informer';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { BoundedReads, type ReadBounds } from './bounded-reads.ts';
import { trimPool } from './trim.ts';

/** Normal clusters have less than a tenth of this, but a thousand hostile ones could use all of Fairway's capacity. */
export const POOL_BOUNDS: ReadBounds = {
  maxObjects: 100,
  maxListChars: 8 * 1024 * 1024,
  pageSize: 10,
  burst: 200,
  perSecond: 5,
  charsPerEvent: 16 * 1024,
  overflowMs: 300_000,
};

export interface FeedOptions {
  readonly onChange: () => void;
  /** Whether Fairway has a pool with this name for the cluster. */
  readonly isPool: (name: string) => boolean;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** The NodePools of one tenant's cluster that are read: a bounded number, of bounded size. */
export class PoolFeed {
  readonly #informer: Informer<InClusterNodePool>;
  readonly #reads: BoundedReads<InClusterNodePool>;
  readonly #stop = new AbortController();

  constructor({ client, clusterKey, signal }: TenantCluster, { onChange, isPool, clock, random, log }: FeedOptions) {
    this.#reads = new BoundedReads(client.resource(inClusterNodePools), {
      bounds: POOL_BOUNDS,
      isOfInterest: isPool,
      clock,
    });
    this.#informer = new Informer(this.#reads.asClient(), {
      trim: trimPool,
      pageSize: POOL_BOUNDS.pageSize,
      clock,
      random,
      log: log.child({ cluster: clusterKey }),
    });
    this.#informer.addHandler({ onAdd: onChange, onUpdate: onChange, onDelete: onChange });
    const until = AbortSignal.any([this.#stop.signal, signal]);
    // An empty list changes nothing, but a pass may be waiting for it.
    void this.#informer.whenSynced(until).then(onChange, () => {});
    this.#informer.start(until);
  }

  get hasSynced(): boolean {
    return this.#informer.hasSynced;
  }

  get isOverflowing(): boolean {
    return this.#reads.isOverflowing;
  }

  get(name: string): InClusterNodePool | undefined {
    return this.#informer.get(name);
  }

  list(): readonly InClusterNodePool[] {
    return this.#informer.list();
  }

  stop(): void {
    this.#stop.abort();
  }
}
