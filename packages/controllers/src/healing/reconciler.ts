import { ConditionReason } from '@fairway/api/conditions';
import { healingSettings } from '@fairway/api/domain/healing-settings';
import { shouldHibernate } from '@fairway/api/domain/hibernation';
import { isBeingWiped } from '@fairway/api/domain/reset';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import type { HealingRecord } from '@fairway/api/kinds/node-pool-healing';
import { isPaused } from '@fairway/api/pause';
import { formatTime } from '@fairway/base/clock';
import { keyOf } from '@fairway/kube/client/object-key';
import { isBeingDeleted } from '@fairway/kube/controller/finalizers';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { machinesByCluster, machinesByPool } from '@fairway/tenancy/cache-indexes';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import { isNodeReady, type TenantNode } from '@fairway/tenancy/connection/node';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { Problem } from '@fairway/tenancy/problem';
import { failureOf } from '@fairway/tenancy/reconcile/failure';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { ControllerDependencies } from '../dependencies.ts';
import { isMachineOf } from '../node-pool/machine-owner.ts';
import { writeStatus } from '../status-writer.ts';
import { confirmState, type LiveState } from './confirmation.ts';
import { recordRepairEvents, recordRepairOutcomes } from './events.ts';
import type { HealingMetrics } from './metrics.ts';
import { ObservationWindow } from './observation-window.ts';
import { nextRecord, recordDueMs } from './record.ts';
import { candidatesOf, planRepairs, type RepairDecision, type RepairTarget } from './repair-plan.ts';
import { unhealthyReason } from './unhealthy-reason.ts';

type HealingDependencies = Pick<
  ControllerDependencies,
  'client' | 'cache' | 'clouds' | 'tenants' | 'events' | 'clock'
> & {
  readonly metrics: HealingMetrics | undefined;
};

/** How often unhealthy nodes are checked. */
const RECHECK_INTERVAL_MS = 30_000;
/**
 * How much time nodes are given to report once their cluster's API is reachable again: a kubelet's lease interval plus
 * the control plane's grace period.
 */
const SETTLE_MS = 120_000;

/** The inputs of a pass. */
interface Scope {
  readonly pool: NodePool;
  readonly cluster: Cluster;
  readonly tenant: TenantCluster | undefined;
  readonly cloud: ProjectCloud | undefined;
  readonly trustedSinceMs: number | undefined;
}

/** Decides whether unhealthy machines are repaired, and how. Writes the decision to `Machine.status.marks.repair`, which the pool acts on. */
export class HealingReconciler {
  readonly #dependencies: HealingDependencies;
  readonly #window: ObservationWindow;

  constructor(dependencies: HealingDependencies) {
    this.#dependencies = dependencies;
    this.#window = new ObservationWindow(dependencies.clock);
  }

  /** `key` identifies a NodePool. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { cache, clock, clouds, tenants } = this.#dependencies;
    const pool = cache.nodePools.get(key);
    const cluster = pool && cache.clusters.get(clusterKeyOf(pool));
    if (pool === undefined || cluster === undefined || isBeingDeleted(pool) || isBeingDeleted(cluster)) {
      this.#window.forget(key);
      return {};
    }
    // Nodes that are about to be deleted are not repaired.
    if (isPaused(pool, cluster) || shouldHibernate(cluster) || isBeingWiped(cluster)) return {};
    const pass = new Pass(context, clock);
    const tenant = tenants.get(identityOf(cluster));
    const trustedSinceMs = this.#window.sinceMs(key, cluster, tenant);
    const cloud = clouds.of(clusterKeyOf(pool), cluster.spec.credentialName);
    await this.#reconcilePool({ pool, cluster, tenant, cloud, trustedSinceMs }, pass);
    return pass.end();
  }

  async #reconcilePool(scope: Scope, pass: Pass): Promise<void> {
    const { pool } = scope;
    const { cache, clock } = this.#dependencies;
    const ofPool = cache.machines.find(machinesByPool, keyOf(pool)).filter((machine) => isMachineOf(pool, machine));
    const seen = this.#plan(scope, ofPool);
    const newRepairs = seen.decisions.filter(startsRepair);
    const { decisions, record, stored } =
      newRepairs.length === 0 ? { ...seen, stored: pool } : await this.#confirmDecisions(scope, newRepairs, pass);
    await this.#writeRecord(stored, record);
    for (const decision of decisions) await this.#writeMark(decision, pass);
    const nextMs = seen.targets.some(({ unhealthy }) => unhealthy) ? clock.now() + RECHECK_INTERVAL_MS : undefined;
    this.#window.expectPass(keyOf(pool), nextMs);
    for (const ms of [nextMs, recordDueMs(record ?? {}, clock.now())]) {
      if (ms !== undefined) pass.requeueAfter(Math.max(ms - clock.now(), 0) + 1);
    }
  }

  /** The decisions based on live state. */
  async #confirmDecisions(scope: Scope, newRepairs: readonly RepairDecision[], pass: Pass) {
    const { pool, cluster, tenant, cloud } = scope;
    const { client, clock } = this.#dependencies;
    const serverIDs = newRepairs.flatMap(({ machine }) => machine.status?.serverID ?? []);
    const questions = { client, pool, cluster, tenant, cloud, serverIDs, nowMs: clock.now(), signal: pass.signal };
    const live = await confirmState(questions);
    if (live.api) this.#window.restart(keyOf(pool));
    const stored = live.pool ?? pool;
    if (live.pool === undefined || isBeingDeleted(live.pool))
      return { decisions: [], record: stored.status?.healing, stored };
    return { ...this.#plan({ ...scope, pool: stored }, live.machines, live), stored };
  }

  #plan(scope: Scope, ofPool: readonly Machine[], live?: LiveState) {
    const { pool, cluster, tenant, cloud, trustedSinceMs } = scope;
    const { cache, clock } = this.#dependencies;
    const nowMs = clock.now();
    const settings = healingSettings(pool.spec, cache.plans.get(cluster.spec.plan)?.spec);
    const nodeOf = (name: string) => (live?.nodes ? live.nodes.get(name) : tenant?.nodes.get(name));
    const repairTarget = (machine: Machine): RepairTarget => {
      const { name = '' } = machine.metadata;
      const observation = { node: nodeOf(name), settings, trustedSinceMs, nowMs };
      const hasReadyPeer = hasReadyNode(live?.nodes?.values() ?? tenant?.nodes.list() ?? []);
      const unhealthy = unhealthyReason(machine, { ...observation, hasReadyPeer });
      return { machine, unhealthy: isServerPresent(machine, unhealthy, live) ? undefined : unhealthy };
    };
    const targets = ofPool.filter((machine) => !isBeingDeleted(machine)).map(repairTarget);
    const others = cache.machines
      .find(machinesByCluster, keyOf(cluster))
      .filter((machine) => !isBeingDeleted(machine) && !isMachineOf(pool, machine))
      .map(repairTarget);
    const allMachines = [...targets, ...others];
    const last: HealingRecord = pool.status?.healing ?? {};
    const candidates = candidatesOf(targets, last, nowMs);
    const record = nextRecord(last, { machines: targets.map(({ machine }) => machine), candidates, nowMs });
    const decisions = planRepairs(targets, {
      settings,
      cluster: { size: allMachines.length, unhealthy: allMachines.filter(({ unhealthy }) => unhealthy).length },
      api: live?.api ?? (trustedSinceMs === undefined ? NODES_UNOBSERVED : undefined),
      settling: settlingProblem(trustedSinceMs, nowMs),
      cloud: live?.cloud ?? cloudProblem(cloud, nowMs),
      record: record ?? {},
      nowMs,
    });
    return { targets, record, decisions };
  }

  async #writeRecord(pool: NodePool, record: HealingRecord | undefined): Promise<void> {
    const { client, events, metrics } = this.#dependencies;
    const { healing: _, ...others } = pool.status ?? {};
    const status = { ...others, ...(record && { healing: record }) };
    await writeStatus(client.resource(nodePools), pool, status, { ifUnchanged: true });
    recordRepairOutcomes(pool, record, events, metrics);
  }

  async #writeMark(decision: RepairDecision, { signal }: Pass): Promise<void> {
    const { client, events, metrics } = this.#dependencies;
    const { machine, mark } = decision;
    const { repair, ...others } = machine.status?.marks ?? {};
    if (repair === mark) return;
    signal.throwIfAborted();
    const marks = { ...others, ...(mark && { repair: mark }) };
    const status = { ...machine.status, marks };
    // Two due marks at the same time would result in two repairs.
    await writeStatus(client.resource(machines), machine, status, { ifUnchanged: true });
    recordRepairEvents(decision, events, metrics);
  }

  /** Drops the state of pools that another process has taken over. */
  forget(poolKey: string): void {
    this.#window.forget(poolKey);
  }
}

/** Whether the decision starts a repair. */
function startsRepair({ machine, mark }: RepairDecision): boolean {
  return mark?.due === true && mark !== machine.status?.marks?.repair;
}

/** Whether the cloud still has the server when queried for it directly. */
function isServerPresent(
  { status }: Machine,
  unhealthy: RepairTarget['unhealthy'],
  live: LiveState | undefined,
): boolean {
  if (!unhealthy?.isServerMissing || live === undefined) return false;
  return live.cloud !== undefined || (status?.serverID !== undefined && !live.missingServers.has(status.serverID));
}

function hasReadyNode(nodes: Iterable<TenantNode>): boolean {
  for (const node of nodes) if (isNodeReady(node)) return true;
  return false;
}

const NODES_UNOBSERVED: Problem = {
  reason: ConditionReason.WaitingForControlPlane,
  message: "the cluster's API server cannot be reached",
};

function settlingProblem(trustedSinceMs: number | undefined, nowMs: number): Problem | undefined {
  if (trustedSinceMs === undefined || nowMs >= trustedSinceMs + SETTLE_MS) return undefined;
  const since = formatTime(trustedSinceMs);
  const until = formatTime(trustedSinceMs + SETTLE_MS);
  const reason = ConditionReason.WaitingForControlPlane;
  return {
    reason,
    message: `the cluster's nodes have been observed since ${since}, and have until ${until} to report`,
  };
}

function cloudProblem(cloud: ProjectCloud | undefined, nowMs: number): Problem | undefined {
  if (cloud === undefined) {
    return { reason: ConditionReason.ConfigurationInvalid, message: 'the namespace has no cloud' };
  }
  const { stale } = cloud.cache.servers.snapshot();
  if (stale === undefined) return undefined;
  const { reason, message } = failureOf(stale.error, nowMs);
  return { reason, message };
}
