import { ConditionType } from '@fairway/api/conditions';
import { shouldHibernate } from '@fairway/api/domain/hibernation';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { isPaused } from '@fairway/api/pause';
import { splitKey } from '@fairway/kube/client/object-key';
import { isConditionTrue } from '@fairway/kube/controller/conditions';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { poolsByCluster } from '@fairway/tenancy/cache-indexes';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { TenantApiError } from '@fairway/tenancy/connection/tenant-problem';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { isRefusal } from '../addons/apply-object.ts';
import type { ControllerDependencies } from '../dependencies.ts';
import { BUDGET_PAUSE_MS } from './budget.ts';
import { ClusterMemory } from './cluster-memory.ts';
import { InnerWriter, nameOf } from './inner-writer.ts';
import { OuterWriter } from './outer-writer.ts';
import { POOL_BOUNDS, type PoolFeed } from './pool-feed.ts';
import { type PassResult, PoolPass } from './pool-pass.ts';
import { REFUSAL_RETRY_MS } from './refusals.ts';
import { removeDefinition } from './removal.ts';
import { trimPool } from './trim.ts';

type Dependencies = Pick<
  ControllerDependencies,
  'client' | 'cache' | 'tenants' | 'attempts' | 'events' | 'allowInCluster' | 'clock' | 'random' | 'log'
>;

/** When to check again instead of waiting any longer for the watch. */
const STALE_RETRY_MS = 1_000;
/** The initial and maximum interval for checking a definition that is being deleted. */
const REMOVAL_INTERVAL_MS = 2_000;
const MAX_REMOVAL_INTERVAL_MS = 600_000;
/** After this many steps the interval doubles: no cluster has that many pools. */
const STEPS_PER_BACKOFF = 10;
const FOREIGN_DEFINITION =
  'the cluster has its own CustomResourceDefinition nodepools.fairway.dev, which Fairway does not manage';

/** Serves the NodePools of each cluster inside that cluster, in both directions, by one rule: see `decide`. */
export class InClusterPoolsReconciler {
  readonly #dependencies: Dependencies;
  readonly #enqueue: (clusterKey: string) => void;
  readonly #memories = new Map<string, ClusterMemory>();

  constructor(dependencies: Dependencies, enqueue: (clusterKey: string) => void) {
    this.#dependencies = dependencies;
    this.#enqueue = enqueue;
  }

  forget(isMatching: (clusterKey: string) => boolean): void {
    for (const key of this.#memories.keys()) if (isMatching(key)) this.#drop(key);
  }

  /** `key` identifies a Cluster. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { cache, tenants, attempts, clock, allowInCluster = true } = this.#dependencies;
    const cluster = cache.clusters.get(key);
    if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined) {
      this.#drop(key);
      return {};
    }
    const plan = cache.plans.get(cluster.spec.plan)?.spec;
    const tenant = tenants.get(identityOf(cluster));
    const isUp = isConditionTrue(cluster.status?.conditions, ConditionType.ControlPlaneReady);
    if (isPaused(cluster) || shouldHibernate(cluster)) return {};
    if (plan === undefined || tenant === undefined || !isUp) return {};
    const pass = new Pass(context, clock);
    const isAllowed = allowInCluster && plan.nodePools?.allowInCluster !== false;
    const work = isAllowed
      ? () => this.#serve(key, cluster, tenant, pass)
      : () => this.#remove(key, cluster, tenant, pass);
    await pass.run(() => attempts.withBackoff({ kind: 'node pools in the cluster', item: identityOf(cluster) }, work));
    return pass.end();
  }

  async #serve(key: string, cluster: Cluster, tenant: TenantCluster, pass: Pass): Promise<void> {
    const memory = this.#memoryOf(key, tenant);
    const { definition } = memory;
    const { state, problem, requeueAfterMs } = await definition.reconcile(pass.signal);
    pass.requeueAfter(requeueAfterMs);
    // The kind must be served before it can be read.
    const feed = state === 'served' || state === 'ending' ? memory.feedOf(definition.seen?.metadata.uid) : undefined;
    if (feed === undefined) memory.stopFeed();
    const refusal = feed?.hasSynced ? await this.#serveAll(key, memory, feed, state === 'ending', pass) : undefined;
    const overflow = feed?.isOverflowing ? OVERFLOW_MESSAGE : undefined;
    await this.#announce(cluster, memory, state === 'foreign' ? FOREIGN_DEFINITION : (problem ?? refusal ?? overflow));
  }

  /** Resolves with the reason if the cluster does not let Fairway write one of the pools. */
  async #serveAll(
    key: string,
    memory: ClusterMemory,
    feed: PoolFeed,
    isDefinitionDeleting: boolean,
    pass: Pass,
  ): Promise<string | undefined> {
    const { clock } = this.#dependencies;
    const { signal } = pass;
    const inside = new InnerWriter(memory.tenant, signal);
    const outside = new OuterWriter({ client: this.#dependencies.client, clock, clusterKey: key, signal });
    const poolPass = new PoolPass({
      innerWriter: inside,
      outerWriter: outside,
      innerEvents: memory.events,
      outerEvents: this.#dependencies.events,
      budget: memory.budget,
      refusals: memory.refusals,
      isDefinitionUnchanged: () => memory.definition.isUnchanged(signal),
      clock,
    });
    const outer = new Map(this.#poolsOf(key).map((pool) => [pool.metadata.name ?? '', pool]));
    const names = new Set([...outer.keys(), ...feed.list().map(nameOf)]);
    let refusal: string | undefined;
    for (const name of names) {
      signal.throwIfAborted();
      const isUnread = feed.isOverflowing && feed.get(name) === undefined;
      if (isUnread && !memory.budget.takeRead()) {
        pass.requeueAfter(RETRY_MS.spent);
        continue;
      }
      const uncached = isUnread ? await inside.get(name) : undefined;
      const inner = feed.get(name) ?? (uncached && trimPool(uncached));
      try {
        const rest = await poolPass.run({ name, outer: outer.get(name), inner, isDefinitionDeleting });
        pass.requeueAfter(RETRY_MS[rest]);
        // There is no budget left for the other pools either.
        if (rest === 'spent') break;
      } catch (error) {
        // The rejection came from a webhook or policy of the tenant, which does not affect other pools.
        if (!(error instanceof TenantApiError) || !isRefusal(error.cause)) throw error;
        refusal = `the cluster's API server rejected Fairway's update of NodePool "${name}" (${error.cause.reason})`;
        pass.requeueAfter(RETRY_MS.refused);
      }
    }
    return refusal;
  }

  async #remove(key: string, cluster: Cluster, tenant: TenantCluster, pass: Pass): Promise<void> {
    const known = this.#memories.get(key);
    known?.stopFeed();
    const memory = this.#memoryOf(key, tenant);
    if (memory.isRemoved) return;
    const { events } = this.#dependencies;
    const removal = await removeDefinition(tenant, pass.signal);
    if (removal === 'begun') events.normal(cluster, 'InClusterNodePoolsTakenAway', DISABLED_MESSAGE);
    memory.isRemoved = removal === 'gone';
    // Objects with other parties' finalizers may remain forever, and so may objects whose release a webhook denies.
    memory.removalSteps += removal === 'going' ? STEPS_PER_BACKOFF : 1;
    const doublings = Math.floor(memory.removalSteps / STEPS_PER_BACKOFF);
    if (removal !== 'gone') pass.requeueAfter(Math.min(REMOVAL_INTERVAL_MS * 2 ** doublings, MAX_REMOVAL_INTERVAL_MS));
  }

  async #announce(cluster: Cluster, memory: ClusterMemory, problem: string | undefined): Promise<void> {
    if (problem !== undefined && problem !== memory.reported) {
      const event = { reason: 'InClusterNodePools', message: problem, id: problem };
      await this.#dependencies.events.once(cluster, 'Warning', event);
    }
    memory.reported = problem;
  }

  /** Sorted by name, as in the cluster's own list. */
  #poolsOf(key: string) {
    const pools = this.#dependencies.cache.nodePools.find(poolsByCluster, key);
    const byName = pools.sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
    return byName.slice(0, POOL_BOUNDS.maxObjects);
  }

  #memoryOf(key: string, tenant: TenantCluster): ClusterMemory {
    const known = this.#memories.get(key);
    if (known?.tenant === tenant) return known;
    known?.stopFeed();
    const memory = new ClusterMemory(tenant, this.#dependencies, {
      onChange: () => this.#enqueue(key),
      isPool: (name) => this.#isPool(key, name),
    });
    this.#memories.set(key, memory);
    return memory;
  }

  #isPool(key: string, name: string): boolean {
    const pool = this.#dependencies.cache.nodePools.get(`${splitKey(key).namespace}/${name}`);
    return pool !== undefined && clusterKeyOf(pool) === key;
  }

  #drop(key: string): void {
    this.#memories.get(key)?.stopFeed();
    this.#memories.delete(key);
  }
}

const RETRY_MS: Readonly<Record<PassResult, number | undefined>> = {
  done: undefined,
  spent: BUDGET_PAUSE_MS,
  stale: STALE_RETRY_MS,
  refused: REFUSAL_RETRY_MS,
};

const OVERFLOW_MESSAGE = `the cluster has more NodePools than Fairway reads: only the first ${POOL_BOUNDS.maxObjects} by name and those with existing pools take effect; delete the others`;
const DISABLED_MESSAGE =
  'the plan or the operator does not allow NodePools in the cluster: Fairway deletes their CustomResourceDefinition there; existing pools are retained';
