import { findByIdOrName } from '@fairway/api/admission/references';
import { ConditionReason } from '@fairway/api/conditions';
import { type DesiredMachine, isOutdated } from '@fairway/api/domain/template-change';
import { CLUSTER_LABEL, CLUSTER_UID_LABEL, FINALIZER, NODE_POOL_LABEL, NODE_POOL_UID_LABEL } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { machineName } from '@fairway/api/names';
import { ignoreGone } from '@fairway/kube/client/ignore-gone';
import { keyOf } from '@fairway/kube/client/object-key';
import { ensureFinalizer, hasFinalizer, removeFinalizer } from '@fairway/kube/controller/finalizers';
import { controllerRef } from '@fairway/kube/controller/owners';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { isApiError } from '@fairway/kube/object/api-error';
import { apiVersionOf } from '@fairway/kube/object/meta';
import { machinesByCluster, machinesByPool, poolsByCluster } from '@fairway/tenancy/cache-indexes';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import type { Problem } from '@fairway/tenancy/problem';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { ControllerDependencies } from '../dependencies.ts';
import { ensurePausedCondition } from '../pause.ts';
import { writeStatus } from '../status-writer.ts';
import { requireActiveCluster } from './active-cluster.ts';
import { ClusterTurns } from './cluster-turns.ts';
import { chooseImage } from './images.ts';
import { isMachineOf } from './machine-owner.ts';
import { allowedImages, disallowedMachines } from './plan-allowance.ts';
import { type PoolPlan, planPool } from './pool-plan.ts';
import { type PoolShare, poolShare } from './pool-share.ts';
import { ensureServerGroup, removeServerGroups } from './server-group.ts';
import { readShareFacts } from './share-facts.ts';
import { poolStatus } from './status.ts';

type NodePoolDependencies = Pick<
  ControllerDependencies,
  'client' | 'cache' | 'clouds' | 'tenants' | 'defaultImage' | 'clock' | 'random' | 'attempts'
>;

const RESYNC_MS = 600_000;
/** How often to check for an image. */
const IMAGE_RETRY_MS = 60_000;

/** What machines are made from. */
interface WantedMachines {
  readonly desired: DesiredMachine;
  readonly serverGroupID: string | undefined;
  /** Why the plan allows no more of them. */
  readonly disallowed: Problem | undefined;
  /** Whether machine creates were rejected the last time. */
  readonly isSuspect: boolean;
}

/** Names resolved in the cloud, or what the user must fix first. */
interface Resolved {
  readonly problem?: Problem;
  readonly disallowed?: Problem | undefined;
  /** Their ids. */
  readonly image?: string;
  readonly flavorID?: string;
  readonly serverGroupID?: string;
}

/** What there is after machines were made and removed, and why there are not more. */
interface Resized {
  readonly machines: readonly Machine[];
  readonly problem: Problem | undefined;
}

/** Keeps as many Machines as each NodePool asks for, all created at once, removed in the order of api's `scale-down`. */
export class NodePoolReconciler {
  readonly #dependencies: NodePoolDependencies;
  readonly #turns = new ClusterTurns();

  constructor(dependencies: NodePoolDependencies) {
    this.#dependencies = dependencies;
  }

  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { attempts, cache, client, clock, clouds } = this.#dependencies;
    const found = cache.nodePools.get(key);
    if (found === undefined) return {};
    const cluster = cache.clusters.get(`${found.metadata.namespace}/${found.spec.clusterName}`);
    const active = await ensurePausedCondition(client.resource(nodePools), found, cluster, clock.now());
    if (active === undefined) return {};
    const pool = await this.#adopt(await ensureFinalizer(client.resource(nodePools), active, FINALIZER), cluster);
    const cloud = clouds.of(clusterKeyOf(pool), cluster?.spec.credentialName);
    if (!hasFinalizer(active, FINALIZER)) cloud?.noteNew(identityOf(pool));
    if (context.isAsked) {
      cloud?.attempts.retryNow();
      attempts.retryNow((item) => item === identityOf(pool));
    }
    const pass = new Pass(context, clock);
    if (pool.metadata.deletionTimestamp !== undefined) return this.#delete(pool, cluster, cloud, pass);
    return this.#scale(pool, cluster, cloud, pass);
  }

  async #scale(
    pool: NodePool,
    cluster: Cluster | undefined,
    cloud: ProjectCloud | undefined,
    pass: Pass,
  ): Promise<Result> {
    const { attempts, client, clock, tenants } = this.#dependencies;
    const wanted = await this.#wanted(pool, cluster, cloud, pass);
    const { desired, disallowed, serverGroupID } = wanted;
    let current = this.#machinesOf(pool);
    let { problem } = wanted;
    if (desired && cluster && cloud) {
      const step = { kind: 'machines', item: identityOf(pool) };
      const isSuspect = attempts.isSuspect(step);
      const resized = await pass.run(() =>
        attempts.make(step, () =>
          this.#resize(pool, cluster, cloud, { desired, disallowed, serverGroupID, isSuspect }, pass),
        ),
      );
      // What was made of it before it failed, the cache will tell.
      current = resized.value?.machines ?? current;
      problem = resized.failure ?? resized.value.problem;
    }
    const tenant = cluster && tenants.get(identityOf(cluster));
    return pass.end(async () => {
      const status = poolStatus(pool, {
        machines: current,
        desired,
        problem,
        serverGroupID,
        flavorID: wanted.flavorID ?? pool.status?.flavorID,
        isSchedulable: ({ metadata }) => tenant?.nodes.get(metadata.name ?? '')?.spec?.unschedulable !== true,
        nowMs: clock.now(),
      });
      await writeStatus(client.resource(nodePools), pool, status);
    });
  }

  /** Creates, removes and updates machines. Resolves with the resulting machines. */
  async #resize(
    pool: NodePool,
    cluster: Cluster,
    cloud: ProjectCloud,
    wanted: WantedMachines,
    { signal }: Pass,
  ): Promise<Resized> {
    const { desired, disallowed } = wanted;
    const { replicas, problem } = this.#shareOf(pool, cluster, disallowed);
    const zones = pool.spec.availabilityZones ?? [];
    const cached = this.#machinesOf(pool);
    const plan = planPool({ replicas, zones, desired }, cached);
    const isAsItShouldBe = plan.create.length + plan.remove.length === 0;
    const resized = isAsItShouldBe
      ? { machines: cached, problem }
      : await this.#turns.take(clusterKeyOf(pool), () => this.#resizeNow(pool, cloud, wanted, signal));
    await Promise.all(resized.machines.map((machine) => this.#changeInPlace(machine, desired)));
    return resized;
  }

  /**
   * The caches may be a moment behind, and one machine too many costs money: only what the API server holds counts here, of all pools that share the
   * plan's limit. In turns, so that two pools which came at once don't both see room for themselves.
   */
  async #resizeNow(
    cached: NodePool,
    cloud: ProjectCloud,
    wanted: WantedMachines,
    signal: AbortSignal,
  ): Promise<Resized> {
    const facts = await readShareFacts(this.#dependencies.client, cached, signal);
    if (facts === undefined) return { machines: this.#machinesOf(cached), problem: undefined };
    const { pool, cluster } = facts;
    const { replicas, problem } = poolShare(pool, { ...facts, disallowed: wanted.disallowed });
    const zones = pool.spec.availabilityZones ?? [];
    const current = facts.machines.filter((machine) => isMachineOf(pool, machine));
    const plan = planPool({ replicas, zones, desired: wanted.desired }, current);
    const create = async ({ zone }: PoolPlan['create'][number]) => {
      const machine = await this.#createMachine(pool, cluster, wanted, zone, signal);
      cloud.noteNew(identityOf(machine));
      return machine;
    };
    // One that was refused the last time is tried before all others.
    const [first, ...others] = plan.create;
    const created = first && wanted.isSuspect ? [await create(first)] : [];
    created.push(...(await settleAll((wanted.isSuspect ? others : plan.create).map(create))));
    await Promise.all(plan.remove.map((machine) => this.#deleteMachine(machine)));
    return { machines: [...current.filter((machine) => !plan.remove.includes(machine)), ...created], problem };
  }

  /** The desired machines of the pool, with names resolved in the cloud. */
  async #wanted(
    pool: NodePool,
    cluster: Cluster | undefined,
    cloud: ProjectCloud | undefined,
    pass: Pass,
  ): Promise<
    Pick<Resolved, 'flavorID' | 'serverGroupID' | 'problem' | 'disallowed'> & { readonly desired?: DesiredMachine }
  > {
    pass.againIn(RESYNC_MS);
    const blocker = blockerOf(pool, cluster, cloud);
    const version = cluster?.status?.version;
    if (blocker || !cloud || version === undefined) return blocker ? { problem: blocker } : {};
    const resolved = await pass.run(() => this.#resolve(pool, cluster, cloud, pass.signal));
    if (resolved.failure) return { problem: resolved.failure };
    const { problem, disallowed, image, flavorID, serverGroupID } = resolved.value;
    if (problem) {
      pass.againIn(IMAGE_RETRY_MS);
      return { problem };
    }
    const desired: DesiredMachine = {
      flavor: pool.spec.flavor,
      image: image ?? '',
      version,
      floatingIP: cluster !== undefined && this.#shareOf(pool, cluster).floatingIPs,
      ...(pool.spec.rootVolume && { rootVolume: pool.spec.rootVolume }),
    };
    return {
      desired,
      disallowed,
      ...(flavorID !== undefined && { flavorID }),
      ...(serverGroupID !== undefined && { serverGroupID }),
    };
  }

  /** Image, flavor and server group of the pool's machines, or what the user must fix first. Rejects with the cloud's error. */
  async #resolve(
    pool: NodePool,
    cluster: Cluster | undefined,
    cloud: ProjectCloud,
    signal: AbortSignal,
  ): Promise<Resolved> {
    const { cache, clock, defaultImage } = this.#dependencies;
    await requireOwnProject(cloud, cluster);
    const sinceMs = clock.now() - RESYNC_MS;
    const [images, flavors] = await Promise.all([
      cloud.cache.images.refreshAfter(sinceMs, signal),
      cloud.cache.flavors.refreshAfter(sinceMs, signal),
    ]);
    const flavor = findByIdOrName([...flavors.items.values()], pool.spec.flavor);
    const wanted = pool.spec.image ?? cluster?.spec.image ?? defaultImage;
    const plan = cluster && cache.plans.get(cluster.spec.plan);
    const offered = [...images.items.values()];
    const image = chooseImage(wanted === undefined ? allowedImages(offered, plan) : offered, wanted);
    if (image === undefined) {
      const message =
        wanted === undefined
          ? 'the cloud has no Ubuntu or Debian image to choose from; name one in spec.image'
          : `spec.image: the cloud has no active image ${wanted}`;
      return { problem: { reason: ConditionReason.ImageNotFound, message } };
    }
    const disallowed = disallowedMachines(pool, plan, { flavor, image });
    const found = { image: image.id, disallowed, ...(flavor && { flavorID: flavor.id }) };
    if (!pool.spec.antiAffinity) return found;
    const owner = { clusterUid: cluster ? identityOf(cluster) : '', poolUid: identityOf(pool) };
    const known = pool.status?.serverGroupID;
    const confirm = () => requireActiveCluster(this.#dependencies.client, cluster, signal);
    const serverGroupID = await ensureServerGroup(cloud, owner, known, { signal, confirm });
    return { ...found, serverGroupID };
  }

  async #delete(
    pool: NodePool,
    cluster: Cluster | undefined,
    cloud: ProjectCloud | undefined,
    pass: Pass,
  ): Promise<Result> {
    if (!hasFinalizer(pool, FINALIZER)) return {};
    const { attempts, client } = this.#dependencies;
    const uid = identityOf(pool);
    const { value: left = [], failure } = await pass.run(() =>
      attempts.make({ kind: 'deletion', item: uid }, async () => {
        const machines = await this.#liveMachinesOf(pool, pass.signal);
        await Promise.all(machines.map((machine) => this.#deleteMachine(machine)));
        if (machines.length > 0) return machines;
        if (cloud) await requireOwnProject(cloud, cluster);
        if (cloud && pool.spec.antiAffinity) await removeServerGroups(cloud, uid, { signal: pass.signal });
        return [];
      }),
    );
    if (failure === undefined && left.length === 0) {
      attempts.forget(uid);
      await removeFinalizer(client.resource(nodePools), pool, FINALIZER);
      return {};
    }
    const leaving = { reason: ConditionReason.Deleting, message: `${left.length} machines are being deleted` };
    return pass.end(() => this.#reportDeletion(pool, left, failure ?? leaving));
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

  /** Sets the owner reference and labels of its cluster. */
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
    { desired, serverGroupID }: WantedMachines,
    zone: string | undefined,
    signal: AbortSignal,
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
          [NODE_POOL_UID_LABEL]: identityOf(pool),
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
    return client.resource(machines).create(machine, { signal });
  }

  async #deleteMachine({ metadata }: Machine): Promise<void> {
    const { name = '', namespace, uid, deletionTimestamp } = metadata;
    if (deletionTimestamp !== undefined) return;
    const options = { ...(namespace !== undefined && { namespace }), ...(uid !== undefined && { uid }) };
    await ignoreGone(this.#dependencies.client.resource(machines).delete(name, options));
  }

  /** Fields that need no new server are updated on existing Machines. */
  async #changeInPlace(machine: Machine, desired: DesiredMachine): Promise<void> {
    const { name = '', namespace, uid, deletionTimestamp } = machine.metadata;
    if (deletionTimestamp !== undefined || machine.spec.floatingIP === desired.floatingIP) return;
    if (isOutdated(desired, machine.spec)) return;
    const value = { metadata: { uid }, spec: { floatingIP: desired.floatingIP } };
    const where = namespace === undefined ? {} : { namespace };
    await ignoreGone(this.#dependencies.client.resource(machines).patch(name, { type: 'merge', value }, where));
  }

  /** The pool's share within the limits of cluster and plan, from the caches. */
  #shareOf(pool: NodePool, cluster: Cluster, disallowed?: Problem): PoolShare {
    const { cache } = this.#dependencies;
    const key = clusterKeyOf(pool);
    return poolShare(pool, {
      cluster,
      plan: cache.plans.get(cluster.spec.plan),
      pools: cache.nodePools.find(poolsByCluster, key),
      machines: cache.machines.find(machinesByCluster, key),
      disallowed,
    });
  }

  #machinesOf(pool: NodePool): readonly Machine[] {
    return this.#dependencies.cache.machines
      .find(machinesByPool, keyOf(pool))
      .filter((machine) => isMachineOf(pool, machine));
  }

  async #liveMachinesOf(pool: NodePool, signal: AbortSignal): Promise<readonly Machine[]> {
    const { namespace } = pool.metadata;
    const labelSelector = `${CLUSTER_LABEL}=${pool.spec.clusterName},${NODE_POOL_LABEL}=${pool.metadata.name}`;
    const options = { labelSelector, signal, ...(namespace !== undefined && { namespace }) };
    try {
      const { items } = await this.#dependencies.client.resource(machines).list(options);
      return items.filter((machine) => isMachineOf(pool, machine));
    } catch (error) {
      if (isApiError(error, 'NotFound')) return [];
      throw error;
    }
  }
}

/** As Promise.all, but nothing is in progress any more when it rejects. */
async function settleAll<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
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
    const message = `namespace ${pool.metadata.namespace} has no cloud; the operator has to set its annotation fairway.dev/cloud`;
    return { reason: ConditionReason.ConfigurationInvalid, message };
  }
  if (cluster.status?.version === undefined) {
    return { reason: ConditionReason.WaitingForCluster, message: 'the control plane of the cluster is not ready yet' };
  }
  return undefined;
}
