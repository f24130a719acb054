import type { Cluster } from '@fairway/api/kinds/cluster';
import { RecentMap } from '@fairway/base/recent-map';
import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { ignoreNotFound } from '@fairway/openstack/http/openstack-error';
import type { Server } from '@fairway/openstack/types/server';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { nodeReadyCondition, type TenantNode } from '@fairway/tenancy/connection/node';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { addressRules } from '@fairway/tenancy/machine-addresses';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { parseProviderID } from '../nodes/provider-id.ts';
import { asNode, ToldNews } from '../tenant-events.ts';
import { clusterKey } from './cluster-object.ts';
import type { StandaloneDependencies } from './dependencies.ts';
import { matchServer, type NodeMatch } from './node-match.ts';
import { machineKey, machineOf, vanishedMachine } from './server-machine.ts';

/** Of the cluster: a look costs a call beside the shared list, and whoever may make nodes makes any number. */
const LOOKS: Rate = { burst: 20, perMinute: 6 };
const LOOK_RETRY_MS = 20_000;
/** Of the cluster: what a node that is not Ready is looked at again for. */
const REFRESHES: Rate = { burst: 20, perMinute: 6 };
const MAX_NODES = 10_000;
/** After a node was seen not to be Ready; later the usual lists do. */
const UNREADY_LOOKS_MS = [0, 5_000, 15_000, 30_000];
/** A server that is still there may go later. */
const LOOK_AGAIN_MS = 600_000;
/** Of the list: its usual period. */
const MAX_AGE_MS = 70_000;

/** Says which server each node is, by a Machine of the node's name. Reads servers, and never changes one. */
export class NodeServerReconciler {
  readonly #dependencies: StandaloneDependencies;
  readonly #looks = new TokenBuckets(LOOKS, 1);
  readonly #refreshes = new TokenBuckets(REFRESHES, 1);
  /** Since when a node is not Ready, by its UID. */
  readonly #unreadyMs = new RecentMap<number>(MAX_NODES);
  readonly #told: ToldNews;

  constructor(dependencies: StandaloneDependencies) {
    this.#dependencies = dependencies;
    this.#told = new ToldNews(dependencies.clock);
  }

  /** `name` is a node's. */
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
    // The first list brings all nodes back.
    if (snapshot.listedAtMs === undefined) return {};
    const pass = new Pass(context, clock);
    const match = this.#withoutRival(
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
        await this.#lookWhileUnready(cloud, node, snapshot.listedAtMs, pass);
        break;
      case 'foreign':
        machines.delete(machineKey(name));
        break;
      case 'ambiguous':
        machines.delete(machineKey(name));
        this.#tell(tenant, node, match.message);
        break;
      case 'unknown':
        machines.delete(machineKey(name));
        await this.#awaitServer(cloud, name, `the project has no server with the name ${name}`, pass);
        break;
      case 'gone':
        await this.#lookFor(cloud, node, match.serverID, pass);
        break;
    }
    return pass.end();
  }

  #machine(cluster: Cluster, cloud: ProjectCloud, name: string, server: Server) {
    const flavor = 'original_name' in server.flavor ? server.flavor.original_name : server.flavor.id;
    return machineOf(name, this.#dependencies.cluster.name, server, addressRules(cluster, cloud), flavor);
  }

  /** What has become of the server of a node that is not Ready any more shows soon, by lists that began after it. */
  async #lookWhileUnready(cloud: ProjectCloud, node: TenantNode, listedAtMs: number, pass: Pass): Promise<void> {
    const { clock, cluster } = this.#dependencies;
    const { uid = '' } = node.metadata;
    if (isReady(node)) {
      this.#unreadyMs.delete(uid);
      return;
    }
    const nowMs = clock.now();
    const sinceMs = this.#unreadyMs.get(uid) ?? nowMs;
    this.#unreadyMs.set(uid, sinceMs);
    const looksMs = UNREADY_LOOKS_MS.map((delayMs) => sinceMs + delayMs);
    const next = looksMs.find((lookMs) => lookMs > nowMs);
    if (next !== undefined) pass.againIn(next - nowMs);
    const due = looksMs.findLast((lookMs) => lookMs <= nowMs) ?? sinceMs;
    if (listedAtMs > due || !this.#refreshes.take(cluster.uid, nowMs)) return;
    await pass.run(() => cloud.cache.servers.refreshAfter(due, pass.signal));
  }

  /** A node is up before the list shows its server as it is. Fails until it does, and so goes by the backoff. */
  async #awaitServer(cloud: ProjectCloud, name: string, message: string, pass: Pass): Promise<void> {
    const { attempts } = this.#dependencies;
    await pass.run(() =>
      attempts.make({ kind: 'server of node', item: name }, async () => {
        // Whatever it shows comes as an event too.
        await cloud.cache.servers.refreshAfter(cloud.now(), pass.signal);
        throw new ProblemError({ reason: 'WaitingForServer', message });
      }),
    );
  }

  /** A Ready node runs somewhere, whatever the list says. */
  async #lookFor(cloud: ProjectCloud, node: TenantNode, serverID: string, pass: Pass): Promise<void> {
    const { attempts, clock, cluster, machines } = this.#dependencies;
    const { name = '' } = node.metadata;
    if (isReady(node)) return;
    if (!this.#looks.take(cluster.uid, clock.now())) return pass.againIn(LOOK_RETRY_MS);
    const { value: isGone } = await pass.run(() =>
      attempts.make({ kind: 'server that left', item: name }, () => this.#isGone(cloud, serverID, pass.signal)),
    );
    if (isGone === true) machines.put(vanishedMachine(name, cluster.name, serverID, clock.now()));
    if (isGone === false) pass.againIn(LOOK_AGAIN_MS);
  }

  /** By a new list and by the server itself, never by a failure. A project without any server of the cluster is a wrong one. */
  async #isGone(cloud: ProjectCloud, serverID: string, signal: AbortSignal): Promise<boolean> {
    const { servers } = cloud.ledgers;
    const { items } = await cloud.cache.servers.refreshAfter(cloud.reliableFromMs(servers, MAX_AGE_MS), signal);
    if (items.has(serverID)) return false;
    if ((await ignoreNotFound(cloud.client.compute.servers.get(serverID, { signal }))) !== undefined) return false;
    const isOneThere = this.#dependencies.machines.list().some(({ metadata }) => items.has(metadata.uid ?? ''));
    if (isOneThere) return true;
    const message = `the project has none of the cluster's servers, so server ${serverID} is not taken for deleted: is it the right project?`;
    throw new ProblemError({ reason: 'WaitingForServer', message });
  }

  /** Of several nodes that name a server, or have its name, the oldest is it. */
  #withoutRival(tenant: TenantCluster, node: TenantNode, match: NodeMatch): NodeMatch {
    if (match.kind !== 'server') return match;
    const claiming = tenant.nodes.find(nodesByServer, match.server.id);
    const byName = node.spec?.providerID ? undefined : tenant.nodes.get(match.server.name);
    const rivals = [...claiming, ...(byName ? [byName] : [])].filter(
      (other) => other.metadata.uid !== node.metadata.uid,
    );
    const rival = rivals.find((other) => ageOf(other) < ageOf(node));
    if (rival === undefined) return match;
    const message = `node ${rival.metadata.name} is server ${match.server.id} already: two nodes can't be one server; delete one of them`;
    return { kind: 'ambiguous', message };
  }

  #tell(tenant: TenantCluster, node: TenantNode, message: string): void {
    if (!this.#told.isNews(tenant, node, 'ServerAmbiguous', message)) return;
    this.#dependencies.events.of(tenant).warning(asNode(node), 'ServerAmbiguous', message);
  }
}

/** By the server that its providerID names. */
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
