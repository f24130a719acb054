import type { Cluster } from '@fairway/api/kinds/cluster';
import { RecentMap } from '@fairway/base/recent-map';
import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { Server } from '@fairway/openstack/types/server';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { isServerDeleted } from '@fairway/tenancy/cloud/server-removal';
import { nodeReadyCondition, type TenantNode } from '@fairway/tenancy/connection/node';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { addressRules } from '@fairway/tenancy/machine-addresses';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { parseProviderID } from '../nodes/provider-id.ts';
import { asNode, EventDeduplicator } from '../tenant-events.ts';
import { clusterKey } from './cluster-object.ts';
import type { StandaloneDependencies } from './dependencies.ts';
import { matchServer, type NodeMatch } from './node-match.ts';
import { machineKey, machineOf, machineOfDeletedServer } from './server-machine.ts';

/**
 * Rate limit per cluster: each check requires a call in addition to the shared list, and users may create any number of
 * nodes.
 */
const QUERY_RATE_LIMIT: Rate = { burst: 20, perMinute: 6 };
const RETRY_INTERVAL_MS = 20_000;
/** Rate limit per cluster of rechecks for nodes that are not Ready. */
const REFRESH_RATE: Rate = { burst: 20, perMinute: 6 };
const MAX_NODES = 10_000;
/** Polling delays after a node has been observed not Ready; after that, the regular lists suffice. */
const UNREADY_POLL_DELAYS_MS = [0, 5_000, 15_000, 30_000];
/** Recheck interval, because a server that still exists may be deleted later. */
const RESYNC_INTERVAL_MS = 600_000;
/** Maximum age of the list of servers: the usual interval between lists. */
const MAX_AGE_MS = 70_000;

/**
 * Maps each node to its server by maintaining a Machine with the node's name. Only reads servers, never changes them.
 */
export class NodeServerReconciler {
  readonly #dependencies: StandaloneDependencies;
  readonly #queries = new TokenBuckets(QUERY_RATE_LIMIT, 1);
  readonly #refreshes = new TokenBuckets(REFRESH_RATE, 1);
  /** When a node was first observed not Ready, by UID of the node. */
  readonly #unreadySinceMs = new RecentMap<number>(MAX_NODES);
  readonly #recorded: EventDeduplicator;

  constructor(dependencies: StandaloneDependencies) {
    this.#dependencies = dependencies;
    this.#recorded = new EventDeduplicator(dependencies.clock);
  }

  /** `name` is a node name. */
  async reconcile(name: string, context: ReconcileContext): Promise<Result> {
    const { cluster: known, clouds, clock, machines, tenants } = this.#dependencies;
    const tenant = tenants.get(known.uid);
    const cluster = this.#dependencies.clusters.get(clusterKey(known));
    const cloud = clouds.of(clusterKey(known), undefined);
    if (tenant === undefined || cluster === undefined || cloud === undefined) return {};
    const node = tenant.nodes.get(name);
    if (node === undefined) {
      machines.delete(machineKey(name));
      return {};
    }
    const snapshot = cloud.listedServers();
    // The first list enqueues all nodes again.
    if (snapshot.listedAtMs === undefined) return {};
    const pass = new Pass(context, clock);
    const match = this.#withoutRivalNode(
      tenant,
      node,
      matchServer(node, snapshot, { clusterUid: known.uid, region: cloud.region }),
    );
    switch (match.kind) {
      case 'server':
        machines.put(this.#machine(cluster, cloud, name, match.server));
        if (Object.keys(match.server.addresses).length === 0) {
          await this.#awaitServer(cloud, name, `server ${match.server.id} has no address yet`, pass);
        }
        await this.#pollWhileUnready(cloud, node, snapshot.listedAtMs, pass);
        break;
      case 'foreign':
        machines.delete(machineKey(name));
        break;
      case 'ambiguous':
        machines.delete(machineKey(name));
        this.#recordAmbiguousServer(tenant, node, match.message);
        break;
      case 'unknown':
        machines.delete(machineKey(name));
        await this.#awaitServer(cloud, name, `the project has no server named ${name}`, pass);
        break;
      case 'gone':
        await this.#queryServer(cloud, node, match.serverID, pass);
        break;
    }
    return pass.end();
  }

  #machine(cluster: Cluster, cloud: ProjectCloud, name: string, server: Server) {
    const flavor = 'original_name' in server.flavor ? server.flavor.original_name : server.flavor.id;
    return machineOf(name, this.#dependencies.cluster.name, server, addressRules(cluster, cloud), flavor);
  }

  /**
   * Quickly detects what happened to the server of a node that is no longer Ready, using lists that began after the
   * change.
   */
  async #pollWhileUnready(cloud: ProjectCloud, node: TenantNode, listedAtMs: number, pass: Pass): Promise<void> {
    const { clock, cluster } = this.#dependencies;
    const { uid = '' } = node.metadata;
    if (isReady(node)) {
      this.#unreadySinceMs.delete(uid);
      return;
    }
    const nowMs = clock.now();
    const sinceMs = this.#unreadySinceMs.get(uid) ?? nowMs;
    this.#unreadySinceMs.set(uid, sinceMs);
    const pollTimesMs = UNREADY_POLL_DELAYS_MS.map((delayMs) => sinceMs + delayMs);
    const next = pollTimesMs.find((pollMs) => pollMs > nowMs);
    if (next !== undefined) pass.requeueAfter(next - nowMs);
    const dueMs = pollTimesMs.findLast((pollMs) => pollMs <= nowMs) ?? sinceMs;
    if (listedAtMs > dueMs || !this.#refreshes.tryTake(cluster.uid, nowMs)) return;
    await pass.run(() => cloud.cache.servers.refreshAfter(dueMs, pass.signal));
  }

  /**
   * Waits until the list shows the current state of a server whose node may already be running. Fails until then, which
   * causes backoff.
   */
  async #awaitServer(cloud: ProjectCloud, name: string, message: string, pass: Pass): Promise<void> {
    const { attempts } = this.#dependencies;
    await pass.run(() =>
      attempts.withBackoff({ kind: 'server of node', item: name }, async () => {
        // The new list is also delivered as an event.
        await cloud.cache.servers.refreshAfter(cloud.now(), pass.signal);
        throw new ProblemError({ reason: 'WaitingForServer', message });
      }),
    );
  }

  /** A Ready node runs somewhere, regardless of what the list shows. */
  async #queryServer(cloud: ProjectCloud, node: TenantNode, serverID: string, pass: Pass): Promise<void> {
    const { attempts, clock, cluster, machines } = this.#dependencies;
    const { name = '' } = node.metadata;
    if (isReady(node)) return;
    if (!this.#queries.tryTake(cluster.uid, clock.now())) return pass.requeueAfter(RETRY_INTERVAL_MS);
    const { value: isDeleted } = await pass.run(() =>
      attempts.withBackoff({ kind: 'server that left', item: name }, () =>
        this.#isServerDeleted(cloud, serverID, pass.signal),
      ),
    );
    if (isDeleted === true) machines.put(machineOfDeletedServer(name, cluster.name, serverID, clock.now()));
    if (isDeleted === false) pass.requeueAfter(RESYNC_INTERVAL_MS);
  }

  /**
   * Decides based on a new list and the server itself, never based on a failure. If the project contains none of
   * the cluster's servers, it must be the wrong project.
   */
  async #isServerDeleted(cloud: ProjectCloud, serverID: string, signal: AbortSignal): Promise<boolean> {
    const { servers } = cloud.ledgers;
    const { items } = await cloud.cache.servers.refreshAfter(cloud.reliableFromMs(servers, MAX_AGE_MS), signal);
    if (items.has(serverID)) return false;
    if (!(await isServerDeleted(cloud, serverID, { signal }))) return false;
    const hasAnyMachine = this.#dependencies.machines.list().some(({ metadata }) => items.has(metadata.uid ?? ''));
    if (hasAnyMachine) return true;
    const message = `the project has none of the cluster's servers, so server ${serverID} is not considered deleted: check that the project is correct`;
    throw new ProblemError({ reason: 'WaitingForServer', message });
  }

  /** If several nodes match a server, the oldest node owns it. */
  #withoutRivalNode(tenant: TenantCluster, node: TenantNode, match: NodeMatch): NodeMatch {
    if (match.kind !== 'server') return match;
    const claimingNodes = tenant.nodes.find(nodesByServer, match.server.id);
    const nodeByName = node.spec?.providerID ? undefined : tenant.nodes.get(match.server.name);
    const rivalNodes = [...claimingNodes, ...(nodeByName ? [nodeByName] : [])].filter(
      (other) => other.metadata.uid !== node.metadata.uid,
    );
    const conflicting = rivalNodes.find((other) => ageOf(other) < ageOf(node));
    if (conflicting === undefined) return match;
    const message = `node ${conflicting.metadata.name} already uses server ${match.server.id}: two nodes cannot share a server; delete one of them`;
    return { kind: 'ambiguous', message };
  }

  #recordAmbiguousServer(tenant: TenantCluster, node: TenantNode, message: string): void {
    if (!this.#recorded.shouldRecord(tenant, node, 'ServerAmbiguous', message)) return;
    this.#dependencies.events.of(tenant).warning(asNode(node), 'ServerAmbiguous', message);
  }
}

/** Indexes nodes by the server in their providerID. */
export const nodesByServer = {
  name: 'server',
  valuesOf: ({ spec }: TenantNode): readonly string[] => {
    const named = spec?.providerID ? parseProviderID(spec.providerID) : undefined;
    return named ? [named.serverID] : [];
  },
};

function isReady(node: TenantNode): boolean {
  return nodeReadyCondition(node)?.status === 'True';
}

function ageOf({ metadata }: TenantNode): string {
  return `${metadata.creationTimestamp} ${metadata.name}`;
}
