import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Clock } from '@fairway/base/clock';
import { fenceFor } from '@fairway/base/fence';
import type { Logger } from '@fairway/base/log';
import { CacheBudget, type CacheLimits } from '@fairway/kube/client/cache-budget';
import type { Informer } from '@fairway/kube/client/informer';
import { InformerSet } from '@fairway/kube/client/informer-set';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { type Transport, TransportError } from '@fairway/kube/client/transport';
import { type TenantNode, tenantNodes, trimNode } from './node.ts';

/**
 * Cache limits for one tenant's cluster. Its administrator may fill its etcd, or serve an API group from their own API
 * server: 500 nodes with 40,000 small objects.
 */
const TENANT_CACHE_LIMITS: CacheLimits = {
  maxObjects: 100_000,
  maxChars: 64 * 1024 * 1024,
  // A compromised node may create any number of certificate requests.
  maxCharsPerInformer: 32 * 1024 * 1024,
};

/** One tenant's cluster as Fairway sees it: a client with an administrator's certificate and a cache of its nodes. */
export interface TenantCluster {
  readonly clusterUid: string;
  /** `namespace/name` of the Cluster. */
  readonly clusterKey: string;
  readonly client: KubeClient;
  readonly informers: InformerSet;
  readonly nodes: Informer<TenantNode>;
  /** Aborts when the connection ends. All watches except those of `informers` must end with it. */
  readonly signal: AbortSignal;
}

export interface TenantClustersOptions {
  /** Reaches the tenant's API server over TLS; rejects until credentials exist. */
  readonly connect: (cluster: Cluster) => Promise<Transport>;
  /** Cache limits per cluster; `TENANT_CACHE_LIMITS` by default. */
  readonly cacheLimits?: CacheLimits | 'none';
  /** Passed to the cluster's informers: see InformerOptions. */
  readonly minWatchSeconds?: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

interface Connection {
  readonly tenant: TenantCluster;
  readonly stop: AbortController;
  /** The connection's parameters: a changed endpoint or CA requires a new connection. */
  readonly target: string;
}

/**
 * The connections to all tenants' clusters, one for each cluster, shared by all controllers of this process. An idle
 * connection costs only the watches of its informers.
 */
export class TenantClusters {
  readonly #options: TenantClustersOptions;
  readonly #connections = new Map<string, Connection>();
  readonly #connecting = new Map<string, Promise<void>>();
  readonly #listeners = new Set<(tenant: TenantCluster) => void>();

  constructor(options: TenantClustersOptions) {
    this.#options = options;
  }

  /** The cluster with this UID, once its nodes have been listed. */
  get(clusterUid: string): TenantCluster | undefined {
    const tenant = this.#connections.get(clusterUid)?.tenant;
    return tenant?.nodes.hasSynced ? tenant : undefined;
  }

  /** All connections, whether or not they have synced. */
  connected(): readonly TenantCluster[] {
    return [...this.#connections.values()].map(({ tenant }) => tenant);
  }

  /** Calls `listener` for every connection, including existing ones, before its informers start. */
  onConnect(listener: (tenant: TenantCluster) => void): void {
    this.#listeners.add(listener);
    for (const { tenant } of this.#connections.values()) listener(tenant);
  }

  /**
   * Connects to a cluster with a running control plane, and reconnects when its endpoint or CA has changed; resolves
   * when its nodes are known. Rejects with a TransportError if the connection is removed in the meantime, and with the
   * signal's reason.
   */
  async ensure(cluster: Cluster, signal?: AbortSignal): Promise<void> {
    const uid = identityOf(cluster);
    const target = JSON.stringify([cluster.status?.endpoint, cluster.status?.caCertificate]);
    if (this.#connections.get(uid)?.target !== target) {
      const pendingConnection =
        this.#connecting.get(uid) ?? this.#connect(cluster, uid, target).finally(() => this.#connecting.delete(uid));
      this.#connecting.set(uid, pendingConnection);
      await pendingConnection;
    }
    const connection = this.#connections.get(uid);
    if (connection === undefined) return;
    const { stop, tenant } = connection;
    await tenant.nodes.whenSynced(signal ? AbortSignal.any([stop.signal, signal]) : stop.signal);
  }

  remove(clusterUid: string): void {
    const connection = this.#connections.get(clusterUid);
    this.#connections.delete(clusterUid);
    connection?.stop.abort(new TransportError(`the connection to ${connection.tenant.clusterKey} was closed`));
    connection?.tenant.client.close();
  }

  /** Ends all connections. */
  close(): void {
    for (const uid of this.#connections.keys()) this.remove(uid);
  }

  async #connect(cluster: Cluster, clusterUid: string, target: string): Promise<void> {
    const { clock, random, log } = this.#options;
    const fence = fenceFor('connecting to its API server');
    const transport = await this.#options.connect(cluster);
    // The cluster was removed in the meantime; the connection would leak otherwise.
    fence?.();
    this.remove(clusterUid);
    const client = new KubeClient(transport, { userAgent: 'fairway-controllers', clock });
    const clusterKey = `${cluster.metadata.namespace}/${cluster.metadata.name}`;
    const { cacheLimits = TENANT_CACHE_LIMITS, minWatchSeconds } = this.#options;
    const budget = cacheLimits === 'none' ? undefined : new CacheBudget(cacheLimits);
    const clusterLog = log.child({ cluster: clusterKey });
    const informers = new InformerSet(client, { clock, random, log: clusterLog, budget, minWatchSeconds });
    const nodes = informers.informer(tenantNodes, { trim: trimNode });
    const stop = new AbortController();
    const tenant: TenantCluster = { clusterUid, clusterKey, client, informers, nodes, signal: stop.signal };
    this.#connections.set(clusterUid, { tenant, stop, target });
    for (const listener of this.#listeners) listener(tenant);
    informers.start(stop.signal);
  }
}
