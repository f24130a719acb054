import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { counted } from '@fairway/api/domain/counted';
import { nodeSettingsOf } from '@fairway/api/domain/node-settings';
import { poolZones } from '@fairway/api/domain/pool-zones';
import { renewalLimits } from '@fairway/api/domain/renewal-limits';
import { authoritiesOf } from '@fairway/api/domain/renewal-need';
import { isWithoutNodes } from '@fairway/api/domain/reset';
import type { DesiredMachine } from '@fairway/api/domain/template-change';
import { FINALIZER } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { isClusterNameOpen } from '@fairway/api/kinds/node-pool-rules';
import { keyOf } from '@fairway/kube/client/object-key';
import { isConditionTrue, isConditionTrueOf } from '@fairway/kube/controller/conditions';
import { ensureFinalizer, hasFinalizer, removeFinalizer } from '@fairway/kube/controller/finalizers';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { machinesByCluster, machinesByPool, poolsByCluster } from '@fairway/tenancy/cache-indexes';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import { ofLogin } from '@fairway/tenancy/credentials/credential-problem';
import type { Problem } from '@fairway/tenancy/problem';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { ControllerDependencies } from '../dependencies.ts';
import { ensurePausedCondition } from '../pause.ts';
import { writeStatus } from '../status-writer.ts';
import { heldObjects, waitMessage, warnOfNewReason, warnOfWait } from '../waits.ts';
import { adoptPool } from './adoption.ts';
import { blockerOf } from './blocker.ts';
import { ensureBounds } from './bounds.ts';
import { ClusterMutex } from './cluster-mutex.ts';
import { settleClusterName } from './cluster-name.ts';
import { deletion } from './last-operation.ts';
import { isMachineOf, liveMachinesOf } from './machine-owner.ts';
import { asLeaving, MachineWriter } from './machine-writer.ts';
import { type DesiredPool, type PoolPlan, planPool, planShrinking } from './pool-plan.ts';
import { type PoolShare, poolShare } from './pool-share.ts';
import type { ProjectQuotas } from './project-quotas.ts';
import { removeServerGroups } from './server-group.ts';
import { readShareFacts } from './share-facts.ts';
import { poolStatus } from './status.ts';
import { type FlavorInCloud, templateInCloud } from './template-in-cloud.ts';
import { ensureZones } from './zones.ts';

type NodePoolDependencies = Pick<
  ControllerDependencies,
  'client' | 'cache' | 'clouds' | 'tenants' | 'events' | 'defaultImage' | 'clock' | 'random' | 'attempts'
>;

const RESYNC_MS = 600_000;
/** Maximum age of the lists of images, flavors and server groups while no machine must be created: every second pass lists. */
const MAX_AGE_SETTLED_MS = 2 * RESYNC_MS - 10_000;
/** How often to check for an image. */
const IMAGE_RETRY_MS = 60_000;

/** What machines are created from. */
interface WantedMachines {
  readonly desired: DesiredMachine;
  readonly serverGroupID: string | undefined;
  /** Why the plan allows no more of them. */
  readonly disallowed: Problem | undefined;
  /** Whether the last creation of machines was rejected. */
  readonly isSuspect: boolean;
}

/** What a pass has found out about the desired machines, or why there cannot be any now. */
interface Wanted {
  readonly desired?: DesiredMachine;
  readonly disallowed?: Problem | undefined;
  readonly flavor?: FlavorInCloud | undefined;
  readonly serverGroupID?: string | undefined;
  /** For a pool that specifies none. */
  readonly chosenZones?: readonly string[] | undefined;
  readonly problem?: Problem;
}

/** The machines after creations and deletions, and why there are not more. */
interface Resized {
  readonly machines: readonly Machine[];
  readonly problem: Problem | undefined;
}

/** Maintains the number of Machines that each NodePool specifies; all are created at once, and deleted in the order of api's `scale-down`. */
export class NodePoolReconciler {
  readonly #dependencies: NodePoolDependencies;
  readonly #writer: MachineWriter;
  readonly #mutex = new ClusterMutex();
  readonly #quotas: ProjectQuotas;

  constructor(dependencies: NodePoolDependencies, quotas: ProjectQuotas) {
    this.#dependencies = dependencies;
    this.#quotas = quotas;
    this.#writer = new MachineWriter(dependencies);
  }

  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { attempts, cache, client, clock, clouds, events } = this.#dependencies;
    const found = cache.nodePools.get(key);
    if (found === undefined) return {};
    const cluster = cache.clusters.get(`${found.metadata.namespace}/${found.spec.clusterName}`);
    const active = await ensurePausedCondition(client.resource(nodePools), found, cluster, this.#dependencies);
    if (active === undefined) return {};
    const held = await ensureFinalizer(client.resource(nodePools), active, FINALIZER);
    const adopted = await adoptPool(client, await settleClusterName(client, held, cluster, clock.now()), cluster);
    const cloud = clouds.of(clusterKeyOf(adopted), cluster?.spec.credentialName);
    if (!hasFinalizer(active, FINALIZER)) cloud?.noteNew(identityOf(adopted));
    if (context.userTriggered) {
      cloud?.attempts.retryNow();
      attempts.retryNow((item) => item === identityOf(adopted));
    }
    const pass = new Pass(context, clock);
    if (adopted.metadata.deletionTimestamp !== undefined) return this.#delete(adopted, cluster, cloud, pass);
    const nowMs = clock.now();
    const { pool, changeMs } = await ensureBounds(adopted, { client: client.resource(nodePools), events, nowMs });
    if (changeMs !== undefined) pass.requeueAfter(changeMs - nowMs);
    return this.#scale(pool, cluster, cloud, pass);
  }

  async #scale(
    pool: NodePool,
    cluster: Cluster | undefined,
    cloud: ProjectCloud | undefined,
    pass: Pass,
  ): Promise<Result> {
    const { attempts, client, clock, events, tenants } = this.#dependencies;
    const wanted = await this.#wanted(pool, cluster, cloud, pass);
    // The condition Autoscaled would change.
    const backoffMs = Date.parse(pool.status?.autoscaling?.backoff?.until ?? '') - clock.now();
    if (backoffMs > 0) pass.requeueAfter(backoffMs);
    const { desired, disallowed, serverGroupID } = wanted;
    let current = this.#machinesOf(pool);
    let { problem } = wanted;
    if (desired && cluster && cloud) {
      const step = { kind: 'machines', item: identityOf(pool) };
      const isSuspect = attempts.isSuspect(step);
      const resized = await pass.run(() =>
        attempts.withBackoff(step, () =>
          this.#resize(pool, cluster, cloud, { desired, disallowed, serverGroupID, isSuspect }, pass),
        ),
      );
      // The cache will contain the machines created before the failure.
      current = resized.value?.machines ?? current;
      problem = resized.failure ? ofLogin(resized.failure, { cluster, cloud }) : resized.value.problem;
    } else if (cluster && !isWithoutNodes(cluster)) {
      const shrunk = await pass.run(() => this.#shrink(pool, cluster, pass));
      current = shrunk.value ?? current;
    }
    // Scaling down does not depend on the template.
    if (!desired && isWithoutNodes(cluster)) {
      await pass.run(() => Promise.all(current.map((machine) => this.#writer.delete(machine))));
    }
    const tenant = cluster && tenants.get(identityOf(cluster));
    return pass.end(async () => {
      const status = poolStatus(pool, {
        cluster,
        machines: current,
        desired,
        problem,
        imageAsked: pool.spec.image ?? cluster?.spec.image,
        serverGroupID,
        flavor: wanted.flavor,
        chosenZones: wanted.chosenZones,
        isSchedulable: ({ metadata }) => tenant?.nodes.get(metadata.name ?? '')?.spec?.unschedulable !== true,
        nowMs: clock.now(),
      });
      warnOfNewReason(events, pool, status.conditions);
      await writeStatus(client.resource(nodePools), pool, status);
    });
  }

  /** Creates, deletes and updates machines. Resolves with the resulting machines. */
  async #resize(
    pool: NodePool,
    cluster: Cluster,
    cloud: ProjectCloud,
    wanted: WantedMachines,
    { signal }: Pass,
  ): Promise<Resized> {
    const share = this.#shareOf(pool, cluster, cloud, wanted.disallowed);
    const cached = this.#machinesOf(pool);
    const plan = planPool(this.#desiredPool(pool, cluster, share, wanted.desired), cached);
    if (plan.create.length + plan.remove.length > 0 || plan.update.some(({ isReinstall }) => isReinstall)) {
      return this.#mutex.take(this.#turnOf(pool), () => this.#resizeNow(pool, cloud, wanted, signal));
    }
    await this.#update(plan);
    return { machines: cached, problem: share.problem };
  }

  /**
   * The caches may lag behind, and one machine too many costs money: only the API server's state counts here, for all pools that share the
   * plan's limit. Serialised, so that two concurrent pools do not both see room for themselves.
   */
  async #resizeNow(
    cached: NodePool,
    cloud: ProjectCloud,
    wanted: WantedMachines,
    signal: AbortSignal,
  ): Promise<Resized> {
    const known = this.#quotas.known(cached, cloud);
    const facts = await readShareFacts(this.#dependencies.client, cached, known, signal);
    if (facts === undefined) return { machines: this.#machinesOf(cached), problem: undefined };
    const { pool, cluster } = facts;
    if (pool.spec.clusterName !== cached.spec.clusterName || isClusterNameOpen(pool)) {
      return { machines: this.#machinesOf(cached), problem: undefined };
    }
    // Only the newest status tells which machines are from before a reset.
    if (cluster.status?.reset?.emptiedTime !== wanted.desired.resetTime) {
      return { machines: this.#machinesOf(cached), problem: undefined };
    }
    const share = poolShare(pool, { ...facts, disallowed: wanted.disallowed });
    const current = facts.machines.filter((machine) => isMachineOf(pool, machine));
    const plan = planPool(this.#desiredPool(pool, cluster, share, wanted.desired), current);
    const create = async ({ zone }: PoolPlan['create'][number]) => {
      const { desired, serverGroupID } = wanted;
      const { zones: _zones, flavorSpellings: _spellings, ...template } = desired;
      const machine = await this.#writer.create({ pool, cluster, template, serverGroupID, zone }, signal);
      cloud.noteNew(identityOf(machine));
      return machine;
    };
    // Deletions free room: with maxSurge 0 there is never a surplus.
    await Promise.all(plan.remove.map((machine) => this.#remove(pool, machine, plan)));
    // A creation that was rejected last time is attempted before all others.
    const [first, ...others] = plan.create;
    const created = first && wanted.isSuspect ? [await create(first)] : [];
    created.push(...(await settleAll((wanted.isSuspect ? others : plan.create).map(create))));
    await this.#update(plan);
    return { machines: [...this.#without(current, plan.remove), ...created], problem: share.problem };
  }

  /** A pool scales down whether or not its template can be resolved. Resolves with the resulting machines. */
  async #shrink(cached: NodePool, cluster: Cluster, { signal }: Pass): Promise<readonly Machine[]> {
    const known = this.#machinesOf(cached);
    const sized = (pool: NodePool, { replicas }: PoolShare) => ({ replicas, limits: renewalLimits(pool, replicas) });
    if (planShrinking(sized(cached, this.#shareOf(cached, cluster)), known).length === 0) return known;
    return this.#mutex.take(clusterKeyOf(cached), async () => {
      const facts = await readShareFacts(this.#dependencies.client, cached, undefined, signal);
      if (facts === undefined) return known;
      const { pool } = facts;
      const current = facts.machines.filter((machine) => isMachineOf(pool, machine));
      const tooMany = planShrinking(sized(pool, poolShare(pool, facts)), current);
      await Promise.all(tooMany.map((machine) => this.#writer.delete(machine)));
      return this.#without(current, tooMany);
    });
  }

  /** Pools that share a limit are processed one after another. */
  #turnOf(pool: NodePool): string {
    return this.#quotas.limitsNodes(pool) ? `${pool.metadata.namespace}/` : clusterKeyOf(pool);
  }

  /** The machines after some deletions have started: they exist until their servers are deleted. */
  #without(machines: readonly Machine[], removed: readonly Machine[]): readonly Machine[] {
    const nowMs = this.#dependencies.clock.now();
    return machines.map((machine) => (removed.includes(machine) ? asLeaving(machine, nowMs) : machine));
  }

  /** First records that its drain may wait, so that a crash in between loses at most that. */
  async #remove({ spec }: NodePool, machine: Machine, { renewed }: PoolPlan): Promise<void> {
    const isHeld = spec.upgradeStrategy.onDrainTimeout === 'Hold' && renewed.includes(machine);
    const onDrainTimeout = isHeld ? 'Hold' : 'Force';
    // Absent means Force; a Hold may remain from a cancelled update.
    if (onDrainTimeout !== (machine.spec.onDrainTimeout ?? 'Force'))
      await this.#writer.update(machine, { onDrainTimeout });
    await this.#writer.delete(machine);
  }

  async #update(plan: PoolPlan): Promise<void> {
    await Promise.all(plan.update.map(({ machine, spec }) => this.#writer.update(machine, spec)));
  }

  #desiredPool(
    pool: NodePool,
    cluster: Cluster,
    { replicas, room, isAllowed }: PoolShare,
    desired: DesiredMachine,
  ): DesiredPool {
    const isConnected = this.#dependencies.tenants.get(identityOf(cluster)) !== undefined;
    const mayRenew = isConnected && isConditionTrue(cluster.status?.conditions, ConditionType.ControlPlaneReady);
    const isReinstalledAfterReset = cluster.status?.reset?.nodes === 'Reinstall';
    const limits = renewalLimits(pool, replicas);
    return { replicas, desired, limits, room, mayRenew, isAllowed, isReinstalledAfterReset };
  }

  /** The desired machines of the pool, with names resolved in the cloud. */
  async #wanted(
    pool: NodePool,
    cluster: Cluster | undefined,
    cloud: ProjectCloud | undefined,
    pass: Pass,
  ): Promise<Wanted> {
    pass.requeueAfter(RESYNC_MS);
    const blocker = blockerOf(pool, cluster, cloud);
    const version = cluster?.status?.version;
    if (blocker || !cloud || version === undefined) return blocker ? { problem: blocker } : {};
    const maxAgeMs = isAtRest(pool) ? MAX_AGE_SETTLED_MS : RESYNC_MS;
    const resolved = await pass.run(() =>
      templateInCloud(this.#dependencies, pool, { cluster, cloud, maxAgeMs, signal: pass.signal }),
    );
    if (resolved.failure) return { problem: ofLogin(resolved.failure, { cluster, cloud }) };
    if (resolved.value.problem) {
      pass.requeueAfter(IMAGE_RETRY_MS);
      return resolved.value;
    }
    const { disallowed, image, flavor, serverGroupID, recheckAfterMs } = resolved.value;
    pass.requeueAfter(recheckAfterMs);
    const zoned = await pass.run(() =>
      ensureZones(pool, {
        client: this.#dependencies.client.resource(nodePools),
        plan: cluster && this.#dependencies.cache.plans.get(cluster.spec.plan)?.spec,
        cloud,
        hasMachines: this.#machinesOf(pool).length > 0 || (pool.status?.replicas ?? 0) > 0,
        signal: pass.signal,
      }),
    );
    if (zoned.failure) return { problem: ofLogin(zoned.failure, { cluster, cloud }) };
    const zones = poolZones(zoned.value);
    const resetTime = cluster?.status?.reset?.emptiedTime;
    const desired: DesiredMachine = {
      flavor: pool.spec.flavor,
      ...(flavor && { flavorSpellings: [flavor.id, flavor.name] }),
      image,
      version,
      zones,
      floatingIP: cluster !== undefined && this.#shareOf(pool, cluster, cloud).floatingIPs,
      ...(pool.spec.rootVolume && { rootVolume: pool.spec.rootVolume }),
      ...(pool.spec.networks && pool.spec.networks.length > 0 && { networks: pool.spec.networks }),
      ...(resetTime !== undefined && { resetTime }),
      ...(cluster && authoritiesOf(cluster)),
      ...nodeSettingsOf(pool, cluster),
    };
    return { desired, disallowed, flavor, serverGroupID, chosenZones: zoned.value.status?.zones };
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
      attempts.withBackoff({ kind: 'deletion', item: uid }, async () => {
        const machines = await liveMachinesOf(client, pool, pass.signal);
        await Promise.all(machines.map((machine) => this.#writer.delete(machine)));
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
    const refused = failure && ofLogin(failure, { cluster, cloud });
    return pass.end(() => this.#reportDeletion(pool, left, refused));
  }

  async #reportDeletion(pool: NodePool, left: readonly Machine[], failure: Problem | undefined): Promise<void> {
    const { client, clock, events } = this.#dependencies;
    const held = heldObjects([{ noun: 'machine', objects: left }]);
    const count = `${counted(left.length, 'machine')} still to be deleted`;
    const leaving = { reason: ConditionReason.Deleting, message: count };
    const { reason, message } = failure ?? (held ? { ...held, message: `${count}; ${held.message}` } : leaving);
    const { lastOperation: last, replicas = 0 } = pool.status ?? {};
    const lastOperation = deletion(last, { left: left.length, replicas, reason, message }, clock.now());
    const status = poolStatus(pool, {
      machines: left,
      desired: undefined,
      // The machines themselves report since when they have been waiting.
      problem: { reason, message: failure ? waitMessage(lastOperation) : message },
      serverGroupID: pool.status?.serverGroupID,
      flavor: undefined,
      isSchedulable: () => false,
      nowMs: clock.now(),
    });
    warnOfWait(events, pool, failure ?? held ?? leaving);
    const wanted = { desiredReplicas: 0, readySummary: `${status.readyReplicas ?? 0}/0` };
    await writeStatus(client.resource(nodePools), pool, { ...status, ...wanted, phase: 'Deleting', lastOperation });
  }

  /** The pool's share within the limits of cluster, plan and project, from the caches. */
  #shareOf(pool: NodePool, cluster: Cluster, cloud?: ProjectCloud, disallowed?: Problem): PoolShare {
    const { cache } = this.#dependencies;
    const key = clusterKeyOf(pool);
    return poolShare(pool, {
      cluster,
      plan: cache.plans.get(cluster.spec.plan),
      pools: cache.nodePools.find(poolsByCluster, key),
      machines: cache.machines.find(machinesByCluster, key),
      disallowed,
      project: cloud && this.#quotas.shareFacts(pool, cloud),
    });
  }

  #machinesOf(pool: NodePool): readonly Machine[] {
    return this.#dependencies.cache.machines
      .find(machinesByPool, keyOf(pool))
      .filter((machine) => isMachineOf(pool, machine));
  }
}

/** As Promise.all, but nothing is in progress anymore when it rejects. */
async function settleAll<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** Whether all its machines existed and matched its spec at the last check. */
function isAtRest({ metadata: { generation }, status }: NodePool): boolean {
  const types = [ConditionType.MachinesReady, ConditionType.UpToDate];
  return types.every((type) => isConditionTrueOf(status?.conditions, type, generation));
}
