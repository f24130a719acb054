import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { shouldHibernate } from '@fairway/api/domain/hibernation';
import { provisionTimeoutMs } from '@fairway/api/domain/node-startup-timeout';
import { sumOfReplicas } from '@fairway/api/domain/plan-limits';
import { remainingQuotaShares } from '@fairway/api/domain/project-quota';
import { isBeingWiped } from '@fairway/api/domain/reset';
import { targetReplicas } from '@fairway/api/domain/target-replicas';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import type { UnneededMark } from '@fairway/api/kinds/machine-marks';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import type { Plan } from '@fairway/api/kinds/plan';
import type { AutoscalingStatus } from '@fairway/api/kinds/pool-autoscaling';
import { isPaused } from '@fairway/api/pause';
import { keyOf } from '@fairway/kube/client/object-key';
import { isConditionTrue } from '@fairway/kube/controller/conditions';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { machinesByCluster, poolKeyOf, poolsByCluster } from '@fairway/tenancy/cache-indexes';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import type { ControllerDependencies } from '../dependencies.ts';
import { nodeLimit } from '../node-pool/pool-share.ts';
import { type ProjectQuotas, poolsByNamespace, vcpusIn } from '../node-pool/project-quotas.ts';
import { writeStatus } from '../status-writer.ts';
import type { PoolFacts } from './cluster-view.ts';
import { type Decision, decide } from './decision.ts';
import { PodEvents, recordPoolEvents } from './events.ts';
import { machineState } from './machine-state.ts';
import { AutoscalingMetrics } from './metrics.ts';
import { newNodesOf, type PoolTemplates } from './pool-templates.ts';
import type { NodeAllowance } from './scale-up.ts';
import { type TenantCache, TenantCaches } from './tenant-caches.ts';

type AutoscalingDependencies = Pick<
  ControllerDependencies,
  'client' | 'cache' | 'clouds' | 'tenants' | 'events' | 'registry' | 'clock' | 'random' | 'log'
>;

/** cluster-autoscaler's --scan-interval, here the minimum interval between two decisions. */
const CHECK_INTERVAL_MS = 10_000;
/** The pods of one Deployment are created one after another; the delay allows them to be considered together. */
const SETTLE_MS = 1_000;
/** How long the tenant's API may be unresponsive before this is reported. */
const API_SILENCE_LIMIT_MS = 60_000;

/** State of a cluster between decisions; losing it costs a repeated Event. */
interface Memory {
  readonly podEvents: PodEvents;
  dueMs: number | undefined;
  lastMs: number;
  silentSinceMs: number | undefined;
}

/**
 * Decides how many nodes the autoscaled pools of a cluster should have, and which of these are unneeded; the node pool
 * controller acts.
 */
export class AutoscalingReconciler {
  readonly #dependencies: AutoscalingDependencies;
  readonly #caches: TenantCaches;
  readonly #metrics: AutoscalingMetrics | undefined;
  readonly #memories = new Map<string, Memory>();
  readonly #quotas: Pick<ProjectQuotas, 'of'>;

  constructor(
    dependencies: AutoscalingDependencies,
    quotas: Pick<ProjectQuotas, 'of'>,
    enqueue: (clusterKey: string) => void,
  ) {
    this.#quotas = quotas;
    const { clock, random, log, registry } = dependencies;
    this.#dependencies = dependencies;
    this.#caches = new TenantCaches({ onChange: enqueue, clock, random, log });
    this.#metrics = registry && new AutoscalingMetrics(registry);
  }

  forget(isMatching: (clusterKey: string) => boolean): void {
    this.#caches.forget(isMatching);
    for (const key of this.#memories.keys()) if (isMatching(key)) this.#memories.delete(key);
  }

  async reconcile(key: string, { signal }: ReconcileContext): Promise<Result> {
    const { cache, tenants } = this.#dependencies;
    const cluster = cache.clusters.get(key);
    const pools = cache.nodePools.find(poolsByCluster, key).filter(({ metadata }) => !metadata.deletionTimestamp);
    const isUnreachable = shouldHibernate(cluster) || isBeingWiped(cluster);
    const isManaged = cluster?.spec.autoscaler.mode === 'Managed' && !isUnreachable;
    const isNeeded = isManaged && pools.some(({ spec }) => spec.autoscaling.enabled);
    await Promise.all(
      pools.filter(({ spec }) => !spec.autoscaling.enabled).map((pool) => this.#removeAutoscalingStatus(pool, key)),
    );
    if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined || !isNeeded) {
      this.#caches.drop(key);
      this.#memories.delete(key);
      return {};
    }
    if (isPaused(cluster)) return {};
    const waitMs = this.#decisionDelayMs(key);
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    const tenant = tenants.get(identityOf(cluster));
    const known = tenant && this.#caches.follow(tenant);
    // The first lists trigger an event when they arrive.
    if (known === undefined || !known.hasSynced()) return {};
    const isUp = isConditionTrue(cluster.status?.conditions, ConditionType.ControlPlaneReady);
    if (!isUp || known.problem() !== undefined) return this.#waitForApi(key, pools);
    this.#memoryOf(key).silentSinceMs = undefined;
    return this.#decide(cluster, pools, known, signal);
  }

  async #decide(
    cluster: Cluster,
    pools: readonly NodePool[],
    known: TenantCache,
    signal: AbortSignal,
  ): Promise<Result> {
    const { cache, clock, events } = this.#dependencies;
    const key = keyOf(cluster);
    const nodes = known.tenant.nodes.list();
    const plan = cache.plans.get(cluster.spec.plan);
    const templates = await newNodesOf(this.#dependencies, {
      cluster,
      pools,
      plan,
      nodes,
      daemonSets: known.daemonSets.list(),
      signal,
    });
    const nowMs = clock.now();
    const facts = {
      pools: this.#collectPoolFacts(key, pools, { plan, nodes, templates, nowMs }),
      nodes,
      pods: known.pods.list(),
      budgets: known.budgets.list(),
      context: {
        labelsOf: (namespace: string) => known.namespaces.get(namespace)?.metadata.labels ?? {},
        reader: known.reader,
      },
      limit: this.#limitOf(cluster, plan, pools),
      nowMs,
    };
    const decision = this.#metrics ? this.#metrics.observe(() => decide(facts)) : decide(facts);
    await this.#write(decision);
    recordPoolEvents(events, decision);
    this.#memoryOf(key).podEvents.record(known.events, decision);
    return decision.dueMs === undefined ? {} : { requeueAfterMs: Math.max(0, decision.dueMs - nowMs) };
  }

  /**
   * The maximum number of nodes in the cluster, with a message: from the cluster's limits, or the project's remaining
   * quota for the smallest nodes.
   */
  #limitOf(cluster: Cluster, plan: Plan | undefined, pools: readonly NodePool[]): NodeAllowance {
    const clusterPools = limitOf(cluster, plan);
    const { namespace = '' } = cluster.metadata;
    const quota = this.#quotas.of(namespace);
    const cloud = this.#dependencies.clouds.of(keyOf(cluster), cluster.spec.credentialName);
    if (cloud === undefined) return clusterPools;
    const vcpusOf = vcpusIn(cloud);
    const smallestFlavor = Math.min(
      ...pools.filter(({ spec }) => spec.autoscaling.enabled).flatMap((pool) => vcpusOf(pool) ?? []),
    );
    const all = this.#dependencies.cache.nodePools.find(poolsByNamespace, namespace);
    const room = remainingQuotaShares(
      quota,
      all,
      vcpusOf,
      Number.isFinite(smallestFlavor) ? smallestFlavor : undefined,
    );
    const nodes = room && sumOfReplicas(pools) + Math.max(0, room.nodes);
    if (room === undefined || nodes === undefined || nodes >= clusterPools.nodes) return clusterPools;
    const message = `${room.message}: scale down other pools, or ask the operator for more`;
    return { nodes, problem: { reason: ConditionReason.ProjectQuotaExceeded, message } };
  }

  #collectPoolFacts(
    key: string,
    pools: readonly NodePool[],
    {
      plan,
      nodes,
      templates,
      nowMs,
    }: {
      readonly plan: Plan | undefined;
      readonly nodes: readonly TenantNode[];
      readonly templates: PoolTemplates;
      readonly nowMs: number;
    },
  ): PoolFacts[] {
    const clusterPools = this.#dependencies.cache.machines.find(machinesByCluster, key);
    const byPool = Map.groupBy(clusterPools, poolKeyOf);
    const byName = new Map(nodes.map((node) => [node.metadata.name, node]));
    return pools.map((pool) => ({
      pool,
      name: pool.metadata.name ?? '',
      replicas: targetReplicas(pool),
      newNode: templates.get(pool),
      machines: (byPool.get(keyOf(pool)) ?? []).map((machine) => {
        const node = byName.get(machine.metadata.name);
        const timeoutMs = provisionTimeoutMs(pool.spec, plan?.spec);
        return { machine, node, state: machineState(machine, node, { nowMs, timeoutMs }) };
      }),
    }));
  }

  /** Writes the nodes to delete before the number of replicas, so that a crash in between does not delete any. */
  async #write({ marks, pools }: Decision): Promise<void> {
    await Promise.all(marks.map(({ machine, mark }) => this.#mark(machine, mark)));
    await Promise.all(pools.map(({ pool, status }) => this.#writePool(pool, status)));
  }

  async #mark(machine: Machine, mark: UnneededMark | undefined): Promise<void> {
    const { unneeded, ...others } = machine.status?.marks ?? {};
    if (unneeded === undefined && mark === undefined) return;
    const marks = { ...others, ...(mark && { unneeded: mark }) };
    await writeStatus(this.#dependencies.client.resource(machines), machine, { ...machine.status, marks });
  }

  async #writePool(pool: NodePool, autoscaling: AutoscalingStatus | undefined): Promise<void> {
    const { autoscaling: _, ...status } = pool.status ?? {};
    const next = { ...status, ...(autoscaling && { autoscaling }) };
    await writeStatus(this.#dependencies.client.resource(nodePools), pool, next);
  }

  /** Clears the report on a pool that is no longer autoscaled. */
  async #removeAutoscalingStatus(pool: NodePool, clusterKey: string): Promise<void> {
    if (pool.status?.autoscaling === undefined) return;
    const poolKey = keyOf(pool);
    const own = this.#dependencies.cache.machines
      .find(machinesByCluster, clusterKey)
      .filter((machine) => poolKeyOf(machine) === poolKey);
    await Promise.all(own.map((machine) => this.#mark(machine, undefined)));
    await this.#writePool(pool, undefined);
  }

  /**
   * Events arrive in bursts: a decision is delayed by one second to collect more, and is made at least ten seconds
   * after the last one.
   */
  #decisionDelayMs(key: string): number {
    const memory = this.#memoryOf(key);
    const nowMs = this.#dependencies.clock.now();
    memory.dueMs ??= Math.max(nowMs + SETTLE_MS, memory.lastMs + CHECK_INTERVAL_MS);
    if (nowMs < memory.dueMs) return memory.dueMs - nowMs;
    memory.dueMs = undefined;
    memory.lastMs = nowMs;
    return 0;
  }

  /** Makes no decision, because the data may be stale. */
  async #waitForApi(key: string, pools: readonly NodePool[]): Promise<Result> {
    const memory = this.#memoryOf(key);
    const nowMs = this.#dependencies.clock.now();
    memory.silentSinceMs ??= nowMs;
    if (nowMs - memory.silentSinceMs >= API_SILENCE_LIMIT_MS) {
      const message = "the cluster's API server does not respond: scaling is suspended until it does";
      const hindrance = { reason: ConditionReason.ControlPlaneFailed, message };
      const messages = pools.flatMap((pool) => {
        const { autoscaling } = pool.spec.autoscaling.enabled ? (pool.status ?? {}) : {};
        return autoscaling ? [this.#writePool(pool, { ...autoscaling, hindrance })] : [];
      });
      await Promise.all(messages);
    }
    return { requeueAfterMs: API_SILENCE_LIMIT_MS };
  }

  #memoryOf(key: string): Memory {
    const known = this.#memories.get(key);
    if (known) return known;
    const memory: Memory = {
      podEvents: new PodEvents(),
      dueMs: undefined,
      lastMs: Number.NEGATIVE_INFINITY,
      silentSinceMs: undefined,
    };
    this.#memories.set(key, memory);
    return memory;
  }
}

function limitOf(cluster: Cluster, plan: Plan | undefined): NodeAllowance {
  if (plan === undefined) {
    const problem = { reason: ConditionReason.PlanNotFound, message: `there is no plan ${cluster.spec.plan}` };
    return { nodes: 0, problem };
  }
  const { nodes, reason, message, advice } = nodeLimit(cluster, plan);
  return { nodes, problem: { reason, message: `${message}: scale down other pools, or ${advice}` } };
}
