import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import { Informer } from '@fairway/kube/client/informer';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { hash32 } from '@fairway/kube/controller/rendezvous';
import { shardOfLease } from '@fairway/kube/controller/shard-leases';
import type { Lease } from '@fairway/kube/kinds/generated/types';
import { Leases } from '@fairway/kube/kinds/resources';
import { eventually } from '@fairway/kube/testing/eventually';
import { SHARD_COUNT, SHARD_GROUP } from '@fairway/service/serve/share';
import type { CloudCall } from './cloud-calls.ts';

const SELECTOR = { namespace: SYSTEM_NAMESPACE, labelSelector: `fairway.dev/shard-group=${SHARD_GROUP}` };

interface ShardAcquisition {
  readonly shard: number;
  readonly replica: string;
  /** When the replica wrote that it is the holder, by this machine's clock. */
  readonly atMs: number;
}

interface Names {
  readonly count: number;
  readonly namespace: string;
  readonly prefix: string;
}

export function shardOf(clusterKey: string): number {
  return hash32(clusterKey) % SHARD_COUNT;
}

/** Records from the Leases which replica has held which shard, and from when. */
export class ShardWatch {
  readonly #client: KubeClient;
  readonly #informer: Informer<Lease>;
  readonly #stop = new AbortController();
  readonly #acquisitions: ShardAcquisition[] = [];

  constructor(client: KubeClient) {
    this.#client = client;
    this.#informer = new Informer(client.resource(Leases), SELECTOR);
    const note = (lease: Lease) => {
      const shard = shardOfLease(lease);
      const replica = lease.spec?.holderIdentity ?? '';
      const atMs = Date.parse(lease.spec?.acquireTime ?? '');
      const last = this.#acquisitions.findLast((acquisition) => acquisition.shard === shard);
      const hasChanged = last?.replica !== replica || last.atMs !== atMs;
      if (shard !== undefined && replica !== '' && hasChanged) this.#acquisitions.push({ shard, replica, atMs });
    };
    this.#informer.addHandler({ onAdd: note, onUpdate: (_, lease) => note(lease) });
    this.#informer.start(this.#stop.signal);
  }

  /** The replica that currently owns each of these clusters. */
  holders(clusterKeys: readonly string[]): ReadonlyMap<string, string> {
    return new Map(clusterKeys.map((key) => [key, this.#currentHolder(shardOf(key))]));
  }

  /** Names with a prefix, for clusters that this replica would own. */
  namesOf(replica: string, { count, namespace, prefix }: Names): readonly string[] {
    const names = Array.from({ length: 1_000 }, (_, index) => `${prefix}-${index}`);
    const isHeldByReplica = (name: string) => this.#currentHolder(shardOf(`${namespace}/${name}`)) === replica;
    return names.filter(isHeldByReplica).slice(0, count);
  }

  /** Resolves when exactly these replicas hold all shards, evenly. */
  async waitUntilShared(replicas: readonly string[]): Promise<void> {
    const limit = Math.ceil(SHARD_COUNT / replicas.length);
    const check = (leases: readonly Lease[]) => {
      const loads = Map.groupBy(
        leases.filter((lease) => shardOfLease(lease) !== undefined),
        ({ spec }) => spec?.holderIdentity ?? '',
      );
      const total = replicas.reduce((sum, replica) => sum + (loads.get(replica)?.length ?? 0), 0);
      return total === SHARD_COUNT && replicas.every((replica) => (loads.get(replica)?.length ?? 0) <= limit);
    };
    await eventually(this.#client.resource(Leases), SELECTOR, check);
  }

  /** Calls on a cluster by a replica that did not hold it at that time. */
  unownedCalls(cloudCalls: readonly CloudCall[], clusterKeyOf: (uid: string) => string | undefined): readonly string[] {
    return cloudCalls.flatMap(({ atMs, replica, clusterUid = '', what }) => {
      const key = clusterKeyOf(clusterUid);
      if (key === undefined) return [`${replica}: ${what} is for no known cluster`];
      const shard = shardOf(key);
      const holder = this.#acquisitions.findLast(
        (acquisition) => acquisition.shard === shard && acquisition.atMs <= atMs,
      )?.replica;
      return holder === replica
        ? []
        : [`${replica}: ${what} on ${key} of ${holder} at ${new Date(atMs).toISOString()}`];
    });
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#informer.stopped;
  }

  #currentHolder(shard: number): string {
    const lease = this.#informer.list().find((each) => shardOfLease(each) === shard);
    return lease?.spec?.holderIdentity ?? '';
  }
}
