import { ConditionReason } from '@fairway/api/conditions';
import { type DesiredMachine, isOutdated } from '@fairway/api/domain/template-change';
import { CLUSTER_LABEL, CLUSTER_UID_LABEL, FINALIZER, NODE_POOL_LABEL } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { machineName } from '@fairway/api/names';
import type { Clock } from '@fairway/base/clock';
import { ignoreGone } from '@fairway/kube/client/ignore-gone';
import type { Informer } from '@fairway/kube/client/informer';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { keyOf } from '@fairway/kube/client/object-key';
import { ensureFinalizer, hasFinalizer, removeFinalizer } from '@fairway/kube/controller/finalizers';
import { controllerRef } from '@fairway/kube/controller/owners';
import type { Result } from '@fairway/kube/controller/result';
import type { EventRecorder } from '@fairway/kube/events/recorder';
import { isApiError } from '@fairway/kube/object/api-error';
import { apiVersionOf } from '@fairway/kube/object/meta';
import { machinesByPool } from '@fairway/tenancy/cache-indexes';
import { cloudProblemOf } from '@fairway/tenancy/cloud/cloud-problem';
import type { ClusterClouds } from '@fairway/tenancy/cloud/cluster-clouds';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import type { TenantClusters } from '@fairway/tenancy/connection/tenant-clusters';
import type { Problem } from '@fairway/tenancy/problem';
import type { FailureBackoff } from '../backoff.ts';
import { heedPause } from '../pause.ts';
import { writeStatus } from '../status-writer.ts';
import { chooseImage } from './images.ts';
import { planPool } from './pool-plan.ts';
import { ensureServerGroup, removeServerGroups } from './server-group.ts';
import { poolStatus } from './status.ts';

export interface NodePoolDependencies {
  readonly client: KubeClient;
  readonly cache: {
    readonly clusters: Informer<Cluster>;
    readonly nodePools: Informer<NodePool>;
    readonly machines: Informer<Machine>;
  };
  readonly clouds: ClusterClouds;
  readonly tenants: TenantClusters;
  /** The operator's image of nodes, by id or name; undefined: the newest Ubuntu LTS of the cloud. */
  readonly defaultImage: string | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly backoff: FailureBackoff;
  readonly events: EventRecorder;
}

const RESYNC_MS = 600_000;

/** Keeps as many Machines as each NodePool asks for, all created at once, removed in the order of api's `scale-down`. */
export class NodePoolReconciler {
  readonly #dependencies: NodePoolDependencies;

  constructor(dependencies: NodePoolDependencies) {
    this.#dependencies = dependencies;
  }

  async reconcile(key: string): Promise<Result> {
    const { cache, client, clock, clouds } = this.#dependencies;
    const found = cache.nodePools.get(key);
    if (found === undefined) return {};
    const cluster = cache.clusters.get(`${found.metadata.namespace}/${found.spec.clusterName}`);
    const active = await heedPause(client.resource(nodePools), found, cluster, clock.now());
    if (active === undefined) return {};
    const pool = await this.#adopt(await ensureFinalizer(client.resource(nodePools), active, FINALIZER), cluster);
    const cloud = clouds.of(clusterKeyOf(pool), cluster?.spec.credentialName);
    if (!hasFinalizer(active, FINALIZER)) cloud?.noteNew(identityOf(pool));
    if (pool.metadata.deletionTimestamp !== undefined) return this.#delete(pool, cluster, cloud);
    return this.#scale(key, pool, cluster, cloud);
  }

  async #scale(
    key: string,
    pool: NodePool,
    cluster: Cluster | undefined,
    cloud: ProjectCloud | undefined,
  ): Promise<Result> {
    const { client, clock, tenants } = this.#dependencies;
    const wish = await this.#wish(key, pool, cluster, cloud);
    let current = this.#machinesOf(pool);
    if (wish.desired && cluster && cloud) {
      const zones = pool.spec.availabilityZones ?? [];
      const poolWish = { replicas: pool.spec.replicas, zones, desired: wish.desired };
      const cached = planPool(poolWish, current);
      if (cached.create.length + cached.remove.length > 0) {
        // The cache may be a moment behind, and one machine too many costs money: only what the API server holds counts here.
        current = await this.#liveMachinesOf(pool);
        const plan = planPool(poolWish, current);
        const created = await Promise.all(
          plan.create.map(({ zone }) =>
            this.#createMachine(pool, cluster, wish.desired as DesiredMachine, wish.serverGroupID, zone),
          ),
        );
        for (const machine of created) cloud.noteNew(identityOf(machine));
        await Promise.all(plan.remove.map((machine) => this.#deleteMachine(machine)));
        current = [...current.filter((machine) => !plan.remove.includes(machine)), ...created];
      }
      await Promise.all(current.map((machine) => this.#changeInPlace(machine, wish.desired as DesiredMachine)));
    }
    const tenant = cluster && tenants.get(identityOf(cluster));
    const status = poolStatus(pool, {
      machines: current,
      desired: wish.desired,
      problem: wish.problem,
      serverGroupID: wish.serverGroupID,
      flavorID: pool.status?.flavorID,
      isSchedulable: ({ metadata }) => tenant?.nodes.get(metadata.name ?? '')?.spec?.unschedulable !== true,
      nowMs: clock.now(),
    });
    await writeStatus(client.resource(nodePools), pool, status);
    return { requeueAfterMs: wish.retryAfterMs };
  }

  /** What the pool's machines should be, with names resolved in the cloud. */
  async #wish(
    key: string,
    pool: NodePool,
    cluster: Cluster | undefined,
    cloud: ProjectCloud | undefined,
  ): Promise<{ desired?: DesiredMachine; serverGroupID?: string; problem?: Problem; retryAfterMs: number }> {
    const blocker = blockerOf(pool, cluster, cloud);
    const version = cluster?.status?.version;
    if (blocker || !cloud || version === undefined)
      return { ...(blocker && { problem: blocker }), retryAfterMs: RESYNC_MS };
    const { backoff, clock, defaultImage } = this.#dependencies;
    try {
      await requireOwnProject(cloud, cluster);
      const images = await cloud.cache.images.refreshAfter(clock.now() - RESYNC_MS);
      const wanted = pool.spec.image ?? cluster?.spec.image ?? defaultImage;
      const image = chooseImage(images.items.values(), wanted);
      if (image === undefined) {
        const message =
          wanted === undefined
            ? 'the cloud has no Ubuntu or Debian image to choose from; name one in spec.image'
            : `spec.image: the cloud has no active image ${wanted}`;
        return { problem: { reason: ConditionReason.ImageNotFound, message }, retryAfterMs: 60_000 };
      }
      const serverGroupID = pool.spec.antiAffinity
        ? await ensureServerGroup(cloud, identityOf(pool), pool.status?.serverGroupID)
        : undefined;
      backoff.succeeded(key);
      const desired: DesiredMachine = {
        flavor: pool.spec.flavor,
        image: image.id,
        version,
        floatingIP: pool.spec.floatingIPs.enabled,
        ...(pool.spec.rootVolume && { rootVolume: pool.spec.rootVolume }),
      };
      return { desired, ...(serverGroupID !== undefined && { serverGroupID }), retryAfterMs: RESYNC_MS };
    } catch (error) {
      const problem = cloudProblemOf(error, clock.now());
      if (problem === undefined) throw error;
      return { problem, retryAfterMs: problem.retryAfterMs ?? backoff.failed(key, clock.now()) };
    }
  }

  async #delete(pool: NodePool, cluster: Cluster | undefined, cloud: ProjectCloud | undefined): Promise<Result> {
    if (!hasFinalizer(pool, FINALIZER)) return {};
    const { client, clock, backoff } = this.#dependencies;
    const left = await this.#liveMachinesOf(pool);
    if (left.length > 0) {
      await Promise.all(left.map((machine) => this.#deleteMachine(machine)));
      const message = `${left.length} machines are being deleted`;
      await this.#reportDeletion(pool, left, { reason: ConditionReason.Deleting, message });
      return {};
    }
    try {
      if (cloud) await requireOwnProject(cloud, cluster);
      if (cloud && pool.spec.antiAffinity) await removeServerGroups(cloud, identityOf(pool));
    } catch (error) {
      const problem = cloudProblemOf(error, clock.now());
      if (problem === undefined) throw error;
      await this.#reportDeletion(pool, [], problem);
      const key = `${pool.metadata.namespace}/${pool.metadata.name}`;
      return { requeueAfterMs: problem.retryAfterMs ?? backoff.failed(key, clock.now()) };
    }
    await removeFinalizer(client.resource(nodePools), pool, FINALIZER);
    return {};
  }

  async #reportDeletion(pool: NodePool, left: readonly Machine[], problem: Problem): Promise<void> {
    const { client, clock } = this.#dependencies;
    const { reason, message } = problem;
    const status = poolStatus(pool, {
      machines: left,
      desired: undefined,
      problem: { reason, message },
      serverGroupID: pool.status?.serverGroupID,
      flavorID: pool.status?.flavorID,
      isSchedulable: () => false,
      nowMs: clock.now(),
    });
    await writeStatus(client.resource(nodePools), pool, { ...status, phase: 'Deleting' });
  }

  /** Ties the pool's life to its cluster's, and says in labels whose it is. */
  async #adopt(pool: NodePool, cluster: Cluster | undefined): Promise<NodePool> {
    const { name = '', namespace, uid, labels, ownerReferences, deletionTimestamp } = pool.metadata;
    if (cluster === undefined || deletionTimestamp !== undefined) return pool;
    const identity = identityOf(cluster);
    const isAdopted =
      labels?.[CLUSTER_UID_LABEL] === identity && ownerReferences?.some((owner) => owner.uid === cluster.metadata.uid);
    if (isAdopted) return pool;
    const value = {
      metadata: {
        uid,
        labels: { [CLUSTER_LABEL]: cluster.metadata.name, [CLUSTER_UID_LABEL]: identity },
        ownerReferences: [controllerRef(cluster, clusters)],
      },
    };
    const where = namespace === undefined ? {} : { namespace };
    return this.#dependencies.client.resource(nodePools).patch(name, { type: 'merge', value }, where);
  }

  async #createMachine(
    pool: NodePool,
    cluster: Cluster,
    desired: DesiredMachine,
    serverGroupID: string | undefined,
    zone: string | undefined,
  ): Promise<Machine> {
    const { client, random } = this.#dependencies;
    const clusterName = cluster.metadata.name ?? '';
    const poolName = pool.metadata.name ?? '';
    const machine: Machine = {
      apiVersion: apiVersionOf(machines),
      kind: machines.kind,
      metadata: {
        name: machineName(clusterName, poolName, random),
        ...(pool.metadata.namespace !== undefined && { namespace: pool.metadata.namespace }),
        labels: {
          [CLUSTER_LABEL]: clusterName,
          [CLUSTER_UID_LABEL]: identityOf(cluster),
          [NODE_POOL_LABEL]: poolName,
        },
        ownerReferences: [controllerRef(pool, nodePools)],
        finalizers: [FINALIZER],
      },
      spec: {
        clusterName,
        nodePoolName: poolName,
        ...desired,
        ...(zone !== undefined && { zone }),
        ...(serverGroupID !== undefined && { serverGroupID }),
      },
    };
    return client.resource(machines).create(machine);
  }

  async #deleteMachine({ metadata }: Machine): Promise<void> {
    const { name = '', namespace, uid, deletionTimestamp } = metadata;
    if (deletionTimestamp !== undefined) return;
    const options = { ...(namespace !== undefined && { namespace }), ...(uid !== undefined && { uid }) };
    await ignoreGone(this.#dependencies.client.resource(machines).delete(name, options));
  }

  /** What can change without a new server changes on the Machines that there are. */
  async #changeInPlace(machine: Machine, desired: DesiredMachine): Promise<void> {
    const { name = '', namespace, uid, deletionTimestamp } = machine.metadata;
    if (deletionTimestamp !== undefined || machine.spec.floatingIP === desired.floatingIP) return;
    if (isOutdated(desired, machine.spec)) return;
    const value = { metadata: { uid }, spec: { floatingIP: desired.floatingIP } };
    const where = namespace === undefined ? {} : { namespace };
    await ignoreGone(this.#dependencies.client.resource(machines).patch(name, { type: 'merge', value }, where));
  }

  #machinesOf(pool: NodePool): readonly Machine[] {
    return this.#dependencies.cache.machines.find(machinesByPool, keyOf(pool)).filter((machine) => isOf(pool, machine));
  }

  async #liveMachinesOf(pool: NodePool): Promise<readonly Machine[]> {
    const { namespace } = pool.metadata;
    const labelSelector = `${CLUSTER_LABEL}=${pool.spec.clusterName},${NODE_POOL_LABEL}=${pool.metadata.name}`;
    const options = { labelSelector, ...(namespace !== undefined && { namespace }) };
    try {
      const { items } = await this.#dependencies.client.resource(machines).list(options);
      return items.filter((machine) => isOf(pool, machine));
    } catch (error) {
      if (isApiError(error, 'NotFound')) return [];
      throw error;
    }
  }
}

/** By owner, not by name: a pool that was deleted and made again does not take its predecessor's machines. */
function isOf(pool: NodePool, machine: Machine): boolean {
  return machine.metadata.ownerReferences?.some(({ uid }) => uid === pool.metadata.uid) ?? false;
}

function blockerOf(pool: NodePool, cluster: Cluster | undefined, cloud: ProjectCloud | undefined): Problem | undefined {
  if (cluster === undefined) {
    const message = `spec.clusterName: there is no cluster ${pool.spec.clusterName} in namespace ${pool.metadata.namespace}`;
    return { reason: ConditionReason.ClusterNotFound, message };
  }
  if (cluster.metadata.deletionTimestamp !== undefined) {
    return { reason: ConditionReason.Deleting, message: 'the cluster is being deleted' };
  }
  if (cloud === undefined) {
    const message = `namespace ${pool.metadata.namespace} has no cloud; the operator sets the annotation fairway.dev/cloud on it`;
    return { reason: ConditionReason.ConfigurationInvalid, message };
  }
  if (cluster.status?.version === undefined) {
    return { reason: ConditionReason.WaitingForCluster, message: 'the control plane of the cluster is not ready yet' };
  }
  return undefined;
}
