import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { isBeingWiped } from '@fairway/api/domain/reset';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine, MachineStatus } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Plan } from '@fairway/api/kinds/plan';
import { findCondition, isConditionTrue } from '@fairway/kube/controller/conditions';
import type { Server } from '@fairway/openstack/types/server';
import type { OwnedState } from '@fairway/tenancy/cloud/ledger';
import { machineTag } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud, ServerRef } from '@fairway/tenancy/cloud/project-cloud';
import { isServerDeleted } from '@fairway/tenancy/cloud/server-removal';
import { serversOfMachine } from '@fairway/tenancy/cloud/servers';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { missingCloud } from '@fairway/tenancy/credentials/credential-problem';
import type { Problem } from '@fairway/tenancy/problem';
import { canNodesStart } from '../cluster/network-condition.ts';
import type { MachineDependencies } from './dependencies.ts';

/** Scope of one pass over a Machine. */
export class MachineScope {
  readonly key: string;
  readonly machine: Machine;
  /** Absent if the cluster does not exist; only a deletion can proceed then. */
  readonly cluster: Cluster | undefined;
  readonly pool: NodePool | undefined;
  readonly plan: Plan | undefined;
  /** Absent if the namespace has no cloud. */
  readonly cloud: ProjectCloud | undefined;
  /** Absent until the tenant's API server is connected. */
  readonly tenant: TenantCluster | undefined;
  readonly signal: AbortSignal;
  readonly dependencies: MachineDependencies;
  #isServerMissing = false;

  constructor(machine: Machine, dependencies: MachineDependencies, signal: AbortSignal) {
    const { namespace = '', name = '' } = machine.metadata;
    this.key = `${namespace}/${name}`;
    this.machine = machine;
    this.dependencies = dependencies;
    this.signal = signal;
    this.cluster = dependencies.cache.clusters.get(clusterKeyOf(machine));
    this.pool = dependencies.cache.nodePools.get(`${namespace}/${machine.spec.nodePoolName}`);
    this.plan = dependencies.cache.plans.get(this.cluster?.spec.plan ?? '');
    this.cloud = dependencies.clouds.of(clusterKeyOf(machine), this.cluster?.spec.credentialName);
    this.tenant = this.cluster && dependencies.tenants.get(identityOf(this.cluster));
  }

  /** The ownership tags of the machine's cloud resources. */
  get uid(): string {
    return identityOf(this.machine);
  }

  /** Resets all backoff; called on a user's request. */
  retryNow(): void {
    const { attempts, builds } = this.dependencies;
    const uids = [this.uid, this.cluster && identityOf(this.cluster)];
    this.cloud?.attempts.retryNow();
    attempts.retryNow((item) => uids.includes(item));
    if (this.pool) builds.retryNow([identityOf(this.pool)]);
  }

  /** The machine's node in the tenant's cluster; it has the machine's name. */
  get node(): TenantNode | undefined {
    return this.tenant?.nodes.get(this.machine.metadata.name ?? '');
  }

  now(): number {
    return this.dependencies.clock.now();
  }

  /** The machine's servers, from the list and the ledger; undefined before the first list. */
  servers(): OwnedState<ServerRef> | undefined {
    const snapshot = this.cloud?.listedServers();
    if (this.cloud === undefined || snapshot?.listedAtMs === undefined) return undefined;
    const listed = serversOfMachine(snapshot, this.uid);
    return this.cloud.ledgers.servers.observe(machineTag(this.uid), listed, snapshot.listedAtMs);
  }

  /**
   * Like `servers`, but waits for the first list if needed, and for the one that settles a create with
   * unknown outcome. Undefined without a cloud. Rejects with the cloud's error.
   */
  async listedServers(): Promise<OwnedState<ServerRef> | undefined> {
    await this.cloud?.cache.servers.refreshAfter(this.cloud.listedFromMs);
    const owned = this.servers();
    if (owned?.kind !== 'settling' || this.now() < owned.untilMs) return owned;
    await this.cloud?.cache.servers.refreshAfter(owned.untilMs);
    return this.servers();
  }

  /**
   * Whether the list is reliable: false before the first one, and while a create with unknown outcome may still take
   * effect.
   */
  get isServerKnown(): boolean {
    return this.cloud === undefined || this.servers()?.kind === 'known';
  }

  /** Whether Fairway knows if the machine has a node; false while the cluster's API server is unreachable. */
  get isNodeKnown(): boolean {
    return this.tenant !== undefined || this.cluster?.status?.endpoint === undefined;
  }

  /**
   * Refreshes the list of servers if it is stale: a node exists, but its server is not listed as ACTIVE yet. During a
   * reinstallation, it may still be the old node.
   */
  async refreshFromNode(): Promise<void> {
    if (this.machine.status?.reinstall) return;
    const server = this.currentServer();
    if (this.node === undefined || server === undefined || this.cloud === undefined) return;
    if ('status' in server && server.status === 'ACTIVE') return;
    await this.cloud.cache.servers.refreshAfter(this.now()).catch(() => undefined);
  }

  /** The primary server: the one in the status, otherwise the oldest. */
  currentServer(): Server | ServerRef | undefined {
    const owned = this.servers();
    if (owned?.kind !== 'known') return undefined;
    const chosen = owned.items.find(({ id }) => id === this.machine.status?.serverID) ?? owned.items[0];
    return chosen && (this.cloud?.cache.servers.snapshot().items.get(chosen.id) ?? chosen);
  }

  /** Whether a known server was deleted out of band. A paginated list may miss one, so the server is read individually first. */
  async wasServerLost(owned: Extract<OwnedState<ServerRef>, { kind: 'known' }>): Promise<boolean> {
    const id = this.machine.status?.serverID;
    if (id === undefined || owned.items.length > 0 || owned.deleting.length > 0 || !this.cloud) return false;
    this.#isServerMissing = await isServerDeleted(this.cloud, id, { signal: this.signal });
    return this.#isServerMissing;
  }

  /** Whether this pass has found that the server in the status no longer exists. */
  get isServerMissing(): boolean {
    return this.#isServerMissing;
  }

  /** Whether the list lacks the server in the status, and neither the cloud nor a deletion by Fairway explains why. */
  get isServerUnlisted(): boolean {
    const owned = this.servers();
    if (this.machine.status?.serverID === undefined || this.#isServerMissing || owned?.kind !== 'known') return false;
    return owned.items.length === 0 && owned.deleting.length === 0;
  }

  /** Why no server can be created yet; undefined if one can. */
  blocker(): Problem | undefined {
    const { cluster, pool, cloud, tenant } = this;
    if (cluster === undefined) {
      return {
        reason: ConditionReason.WaitingForCluster,
        message: `cluster ${this.machine.spec.clusterName} does not exist`,
      };
    }
    if (cluster.metadata.deletionTimestamp !== undefined) {
      return { reason: ConditionReason.Deleting, message: 'the cluster is being deleted' };
    }
    if (isBeingWiped(cluster) || this.machine.spec.resetTime !== cluster.status?.reset?.emptiedTime) {
      return { reason: ConditionReason.WaitingForControlPlane, message: 'the cluster is being reset' };
    }
    if (cloud === undefined) {
      return missingCloud(cluster);
    }
    if (pool === undefined) {
      return {
        reason: ConditionReason.WaitingForCluster,
        message: `pool ${this.machine.spec.nodePoolName} does not exist`,
      };
    }
    if (!canNodesStart(cluster.status)) {
      return { reason: ConditionReason.WaitingForNetwork, message: 'the network of the cluster is not ready yet' };
    }
    if (!isConditionTrue(cluster.status?.conditions, ConditionType.ControlPlaneReady) || tenant === undefined) {
      return {
        reason: ConditionReason.WaitingForControlPlane,
        message: 'the control plane of the cluster is not ready yet',
      };
    }
    return undefined;
  }

  /** Records an event for a new phase. */
  recordEvents(status: MachineStatus): void {
    // No event for a Machine that was just created.
    if (status.phase === 'Pending') return;
    const { events } = this.dependencies;
    const message = status.lastOperation?.description ?? '';
    const reported = findCondition(status.conditions, ConditionType.Ready)?.message;
    if (status.phase === 'NotReady') events.warning(this.machine, 'NotReady', reported ?? message);
    else if (status.phase) events.normal(this.machine, status.phase, message);
  }
}

export function scopeOf(machine: Machine, dependencies: MachineDependencies, signal: AbortSignal): MachineScope {
  return new MachineScope(machine, dependencies, signal);
}
