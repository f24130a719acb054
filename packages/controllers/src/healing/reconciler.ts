import { ConditionReason } from '@fairway/api/conditions';
import { healingSettings } from '@fairway/api/domain/healing-settings';
import { isHibernationWanted } from '@fairway/api/domain/hibernation';
import { isBeingEmptied } from '@fairway/api/domain/reset';
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
import { ailmentOf } from './ailment.ts';
import { announceOutcomes, announceVerdict } from './announcements.ts';
import { confirm, type LiveFacts } from './confirmation.ts';
import type { HealingMetrics } from './metrics.ts';
import { nextRecord, recordDueMs } from './record.ts';
import { candidatesOf, type Patient, triage, type Verdict } from './triage.ts';
import { NodeTrust } from './trust.ts';

type HealingDependencies = Pick<
  ControllerDependencies,
  'client' | 'cache' | 'clouds' | 'tenants' | 'events' | 'clock'
> & {
  readonly metrics: HealingMetrics | undefined;
};

/** How often broken nodes are looked at. */
const LOOK_AGAIN_MS = 30_000;
/** How long nodes have to report once their cluster's API can be reached again: a kubelet's lease, and what the control plane waits for it. */
const SETTLE_MS = 120_000;

/** What a pass goes by. */
interface Scene {
  readonly pool: NodePool;
  readonly cluster: Cluster;
  readonly tenant: TenantCluster | undefined;
  readonly cloud: ProjectCloud | undefined;
  readonly trustedSinceMs: number | undefined;
}

/** Says of broken machines whether they are to be repaired, and how: in `Machine.status.marks.repair`, which their pool acts on. */
export class HealingReconciler {
  readonly #dependencies: HealingDependencies;
  readonly #trust: NodeTrust;

  constructor(dependencies: HealingDependencies) {
    this.#dependencies = dependencies;
    this.#trust = new NodeTrust(dependencies.clock);
  }

  /** `key` is a NodePool's. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { cache, clock, clouds, tenants } = this.#dependencies;
    const pool = cache.nodePools.get(key);
    const cluster = pool && cache.clusters.get(clusterKeyOf(pool));
    if (pool === undefined || cluster === undefined || isBeingDeleted(pool) || isBeingDeleted(cluster)) {
      this.#trust.forget(key);
      return {};
    }
    // Nodes that are to go are nobody's patients.
    if (isPaused(pool, cluster) || isHibernationWanted(cluster) || isBeingEmptied(cluster)) return {};
    const pass = new Pass(context, clock);
    const tenant = tenants.get(identityOf(cluster));
    const trustedSinceMs = this.#trust.sinceMs(key, cluster, tenant);
    const cloud = clouds.of(clusterKeyOf(pool), cluster.spec.credentialName);
    await this.#look({ pool, cluster, tenant, cloud, trustedSinceMs }, pass);
    return pass.end();
  }

  async #look(scene: Scene, pass: Pass): Promise<void> {
    const { pool } = scene;
    const { cache, clock } = this.#dependencies;
    const ofPool = cache.machines.find(machinesByPool, keyOf(pool)).filter((machine) => isMachineOf(pool, machine));
    const seen = this.#judge(scene, ofPool);
    const beginning = seen.verdicts.filter(isBeginning);
    const { verdicts, record, stored } =
      beginning.length === 0 ? { ...seen, stored: pool } : await this.#confirmed(scene, beginning, pass);
    await this.#writeRecord(stored, record);
    for (const verdict of verdicts) await this.#writeMark(verdict, pass);
    const nextMs = seen.patients.some(({ ailment }) => ailment) ? clock.now() + LOOK_AGAIN_MS : undefined;
    this.#trust.looksAgainAt(keyOf(pool), nextMs);
    for (const ms of [nextMs, recordDueMs(record ?? {}, clock.now())]) {
      if (ms !== undefined) pass.againIn(Math.max(ms - clock.now(), 0) + 1);
    }
  }

  /** The verdicts by what everybody says now. */
  async #confirmed(scene: Scene, beginning: readonly Verdict[], pass: Pass) {
    const { pool, cluster, tenant, cloud } = scene;
    const { client, clock } = this.#dependencies;
    const serverIDs = beginning.flatMap(({ machine }) => machine.status?.serverID ?? []);
    const questions = { client, pool, cluster, tenant, cloud, serverIDs, nowMs: clock.now(), signal: pass.signal };
    const live = await confirm(questions);
    if (live.api) this.#trust.lost(keyOf(pool));
    const stored = live.pool ?? pool;
    if (live.pool === undefined || isBeingDeleted(live.pool))
      return { verdicts: [], record: stored.status?.healing, stored };
    return { ...this.#judge({ ...scene, pool: stored }, live.machines, live), stored };
  }

  #judge(scene: Scene, ofPool: readonly Machine[], live?: LiveFacts) {
    const { pool, cluster, tenant, cloud, trustedSinceMs } = scene;
    const { cache, clock } = this.#dependencies;
    const nowMs = clock.now();
    const settings = healingSettings(pool.spec, cache.plans.get(cluster.spec.plan)?.spec);
    const nodeOf = (name: string) => (live?.nodes ? live.nodes.get(name) : tenant?.nodes.get(name));
    const patientOf = (machine: Machine): Patient => {
      const { name = '' } = machine.metadata;
      const symptoms = { node: nodeOf(name), settings, trustedSinceMs, nowMs };
      const hasReadyPeer = hasReadyNode(live?.nodes?.values() ?? tenant?.nodes.list() ?? []);
      const ailment = ailmentOf(machine, { ...symptoms, hasReadyPeer });
      return { machine, ailment: isDenied(machine, ailment, live) ? undefined : ailment };
    };
    const patients = ofPool.filter((machine) => !isBeingDeleted(machine)).map(patientOf);
    const others = cache.machines
      .find(machinesByCluster, keyOf(cluster))
      .filter((machine) => !isBeingDeleted(machine) && !isMachineOf(pool, machine))
      .map(patientOf);
    const everybody = [...patients, ...others];
    const last: HealingRecord = pool.status?.healing ?? {};
    const candidates = candidatesOf(patients, last, nowMs);
    const record = nextRecord(last, { machines: patients.map(({ machine }) => machine), candidates, nowMs });
    const verdicts = triage(patients, {
      settings,
      cluster: { size: everybody.length, unhealthy: everybody.filter(({ ailment }) => ailment).length },
      api: live?.api ?? (trustedSinceMs === undefined ? OUT_OF_SIGHT : undefined),
      settling: settlingProblem(trustedSinceMs, nowMs),
      cloud: live?.cloud ?? cloudProblem(cloud, nowMs),
      record: record ?? {},
      nowMs,
    });
    return { patients, record, verdicts };
  }

  async #writeRecord(pool: NodePool, record: HealingRecord | undefined): Promise<void> {
    const { client, events, metrics } = this.#dependencies;
    const { healing: _, ...others } = pool.status ?? {};
    const status = { ...others, ...(record && { healing: record }) };
    await writeStatus(client.resource(nodePools), pool, status, { isUnchangedOnly: true });
    announceOutcomes(pool, record, events, metrics);
  }

  async #writeMark(verdict: Verdict, { signal }: Pass): Promise<void> {
    const { client, events, metrics } = this.#dependencies;
    const { machine, mark } = verdict;
    const { repair, ...others } = machine.status?.marks ?? {};
    if (repair === mark) return;
    signal.throwIfAborted();
    const marks = { ...others, ...(mark && { repair: mark }) };
    const status = { ...machine.status, marks };
    // Two due marks in a row would be two repairs.
    await writeStatus(client.resource(machines), machine, status, { isUnchangedOnly: true });
    announceVerdict(verdict, events, metrics);
  }

  /** Drops what is known of pools that another process has taken over. */
  forget(poolKey: string): void {
    this.#trust.forget(poolKey);
  }
}

/** Whether a repair begins with it. */
function isBeginning({ machine, mark }: Verdict): boolean {
  return mark?.due === true && mark !== machine.status?.marks?.repair;
}

/** Whether the cloud, asked for the server itself, has it after all. */
function isDenied({ status }: Machine, ailment: Patient['ailment'], live: LiveFacts | undefined): boolean {
  if (!ailment?.isGone || live === undefined) return false;
  return live.cloud !== undefined || (status?.serverID !== undefined && !live.goneServers.has(status.serverID));
}

function hasReadyNode(nodes: Iterable<TenantNode>): boolean {
  for (const node of nodes) if (isNodeReady(node)) return true;
  return false;
}

const OUT_OF_SIGHT: Problem = {
  reason: ConditionReason.WaitingForControlPlane,
  message: "the cluster's API server cannot be reached",
};

function settlingProblem(trustedSinceMs: number | undefined, nowMs: number): Problem | undefined {
  if (trustedSinceMs === undefined || nowMs >= trustedSinceMs + SETTLE_MS) return undefined;
  const since = formatTime(trustedSinceMs);
  const until = formatTime(trustedSinceMs + SETTLE_MS);
  const reason = ConditionReason.WaitingForControlPlane;
  return { reason, message: `the cluster's nodes are seen since ${since}, and have until ${until} to report` };
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
