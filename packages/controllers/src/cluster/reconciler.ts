import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { decideHibernation, isHibernationWanted, nextHibernationChangeMs } from '@fairway/api/domain/hibernation';
import { nextMaintenanceChangeMs } from '@fairway/api/domain/maintenance-gate';
import { sumOfReplicas } from '@fairway/api/domain/plan-limits';
import { FINALIZER } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import { type CloudProfileStatus, cloudProfileName } from '@fairway/api/kinds/cloud-profile';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Plan } from '@fairway/api/kinds/plan';
import { trustBundle } from '@fairway/control-plane/pki/cluster-pki';
import type { ControlPlaneRuntime } from '@fairway/control-plane/runtime';
import { keyOf } from '@fairway/kube/client/object-key';
import { TransportError } from '@fairway/kube/client/transport';
import { isConditionTrue } from '@fairway/kube/controller/conditions';
import { ensureFinalizer, hasFinalizer } from '@fairway/kube/controller/finalizers';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { machinesByCluster, poolsByCluster } from '@fairway/tenancy/cache-indexes';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { ofTenant } from '@fairway/tenancy/connection/tenant-problem';
import { credentialProblem, missingCloud } from '@fairway/tenancy/credentials/credential-problem';
import type { Problem } from '@fairway/tenancy/problem';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { ofRuntime } from '@fairway/tenancy/reconcile/runtime-problem';
import { ensurePausedCondition } from '../pause.ts';
import { warnIfSlow } from '../slow-work.ts';
import { writeStatus } from '../status-writer.ts';
import { answerOf } from './cloud-condition.ts';
import { tellOfCredential } from './credential-condition.ts';
import { deleteCluster } from './deletion.ts';
import type { ClusterDependencies } from './dependencies.ts';
import { controlPlaneSpec, desiredNetwork } from './desired-state.ts';
import { ensureNetwork } from './network.ts';
import { lookAfresh } from './network-observation.ts';
import { planRefusal } from './plan-admission.ts';
import { claimFromPlan, isProvisioned } from './plan-claim.ts';
import { isDecisionNew, restControlPlane, wasAtRest } from './rest.ts';
import { type ClusterFacts, clusterStatus } from './status.ts';
import { setUpTenant } from './tenant-setup.ts';
import { chooseVersion, type NodeVersion, type VersionChoice } from './version-choice.ts';
import { tellOfVersions } from './version-status.ts';

/** How often a ready cluster is compared with the cloud. */
const RESYNC_MS = 600_000;
/** How often to check whether a user has fixed what prevents the network. */
const NETWORK_PROBLEM_RETRY_MS = 60_000;
/** How often to check whether the plan allows a cluster now: another one may have been deleted. */
const PLAN_CLAIM_RETRY_MS = 60_000;
/** How long a pass waits for a tenant's API server to list its nodes. */
const CONNECT_TIMEOUT_MS = 15_000;
/** Poll interval for a starting control plane whose runtime has no events. */
const CONTROL_PLANE_RETRY_MS = 5_000;

/** Creates each Cluster's network and control plane, in parallel, and aggregates the status of its pools. */
export class ClusterReconciler {
  readonly #dependencies: ClusterDependencies;

  constructor(dependencies: ClusterDependencies) {
    this.#dependencies = dependencies;
  }

  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { cache, client, events, clock, clouds, attempts } = this.#dependencies;
    const found = cache.clusters.get(key);
    const active = found && (await ensurePausedCondition(client.resource(clusters), found, undefined, clock.now()));
    if (active === undefined) return {};
    const cluster = await ensureFinalizer(client.resource(clusters), active, FINALIZER);
    const cloud = clouds.of(key, cluster.spec.credentialName);
    if (!hasFinalizer(active, FINALIZER)) cloud?.noteNew(identityOf(cluster));
    if (context.isAsked) {
      cloud?.attempts.retryNow();
      if (cloud) lookAfresh(cloud, cluster.status?.network?.networkID ?? cluster.spec.network.networkID);
      attempts.retryNow((item) => item === identityOf(cluster));
    }
    const pass = new Pass(context, clock);
    if (cluster.metadata.deletionTimestamp !== undefined) {
      return deleteCluster(cluster, this.#poolsOf(cluster), this.#dependencies, pass);
    }
    const facts = await warnIfSlow(clock, this.#ensure(key, cluster, pass), () => this.#tellWaiting(cluster));
    return pass.end(async () => {
      const status = clusterStatus(cluster, facts);
      await writeStatus(client.resource(clusters), cluster, status);
      tellOfVersions(events, cluster, status);
      tellOfCredential(events, cluster, status);
      if (status.phase === cluster.status?.phase || status.phase === undefined) return;
      const message = status.lastOperation?.description ?? '';
      if (status.phase === 'Degraded' || status.phase === 'Failed') events.warning(cluster, status.phase, message);
      else events.normal(cluster, status.phase, message);
    });
  }

  /** A cluster without a network yet reports that it waits for the cloud. */
  async #tellWaiting(cluster: Cluster): Promise<void> {
    if (isConditionTrue(cluster.status?.conditions, ConditionType.NetworkReady)) return;
    // The last failure is already reported, and is being retried.
    if (cluster.status?.lastOperation?.state === 'Error') return;
    const { cache, client, clock } = this.#dependencies;
    const networkProblem = {
      reason: ConditionReason.Provisioning,
      message: 'the network is being created; the cloud has not answered yet',
    };
    const status = clusterStatus(cluster, {
      ...NOTHING_LEARNT,
      plan: this.#planOf(cluster)?.spec,
      releases: cache.releases.list(),
      choice: undefined,
      credential: this.#credentialOf(cluster),
      blocker: undefined,
      pools: this.#poolsOf(cluster),
      machines: this.#dependencies.cache.machines.find(machinesByCluster, keyOf(cluster)).length,
      hibernation: cluster.status?.hibernation,
      isAtRest: wasAtRest(cluster),
      cloudProfile: this.#cloudProfileOf(cluster),
      spread: this.#dependencies.runtime.spread,
      servesAutoscalers: this.#dependencies.servesAutoscalers,
      nowMs: clock.now(),
      networkProblem,
    });
    await writeStatus(client.resource(clusters), cluster, status);
  }

  async #ensure(key: string, stored: Cluster, pass: Pass): Promise<ClusterFacts> {
    const { cache, client, clouds, clock, runtime } = this.#dependencies;
    const hibernation = decideHibernation(stored, clock.now());
    const cluster = { ...stored, status: { ...stored.status, hibernation } };
    const releases = cache.releases.list();
    const plan = this.#planOf(cluster);
    const pools = this.#poolsOf(cluster);
    const machines = cache.machines.find(machinesByCluster, key).length;
    const cloud = clouds.of(key, cluster.spec.credentialName);
    const choice = chooseVersion({
      cluster,
      releases,
      nodes: () => this.#nodesOf(key),
      isSeamless: runtime.spread.replicas > 1,
      nowMs: clock.now(),
    });
    const blocker = blockerOf(cluster, plan, cloud, choice);
    const credential = this.#credentialOf(cluster);
    const base = {
      plan: plan?.spec,
      releases,
      choice,
      credential,
      blocker,
      pools,
      machines,
      hibernation,
      isAtRest: wasAtRest(cluster),
      cloudProfile: this.#cloudProfileOf(cluster),
      spread: runtime.spread,
      servesAutoscalers: this.#dependencies.servesAutoscalers,
      nowMs: clock.now(),
    };
    pass.againIn(RESYNC_MS);
    const nowMs = clock.now();
    for (const nextMs of [nextMaintenanceChangeMs(cluster, nowMs), nextHibernationChangeMs(cluster, nowMs)]) {
      if (nextMs !== undefined) pass.againIn(nextMs - nowMs);
    }
    if (blocker || !plan || !cloud || choice.version === undefined) return { ...base, ...NOTHING_LEARNT };
    const claim = await pass.run(async () => {
      if (isProvisioned(cluster)) return undefined;
      return (
        (await planRefusal(cluster, plan, cloud, pass.signal)) ??
        (await claimFromPlan(client, cluster, plan, pass.signal))
      );
    });
    const refused = claim.failure ?? claim.value;
    if (refused) {
      pass.againIn(PLAN_CLAIM_RETRY_MS);
      return { ...base, ...NOTHING_LEARNT, blocker: refused };
    }
    const decided = await pass.run(() => this.#decide(stored, choice.version, hibernation));
    if (decided.failure) return { ...base, ...NOTHING_LEARNT, controlPlaneProblem: decided.failure };
    const [network, controlPlane] = await Promise.all([
      this.#ensureNetwork(cloud, cluster, plan, pools, pass),
      isHibernationWanted(cluster) && machines === 0
        ? this.#rest(cluster, pass)
        : this.#ensureControlPlane(cluster, plan, pools, choice.version, pass),
    ]);
    return { ...base, ...network, ...controlPlane };
  }

  /** Records version and hibernation before anything acts on them, so that whoever comes next decides the same. */
  async #decide(
    cluster: Cluster,
    version: string | undefined,
    hibernation: ClusterFacts['hibernation'],
  ): Promise<void> {
    const desiredVersion = version ?? cluster.status?.desiredVersion;
    if (desiredVersion === cluster.status?.desiredVersion && !isDecisionNew(cluster, hibernation)) return;
    const status = { ...cluster.status, desiredVersion, hibernation };
    await writeStatus(this.#dependencies.client.resource(clusters), cluster, status);
  }

  #nodesOf(key: string): readonly NodeVersion[] {
    return this.#dependencies.cache.machines.find(machinesByCluster, key).map(({ metadata, spec, status }) => ({
      name: metadata.name ?? '',
      pool: spec.nodePoolName,
      version: status?.version ?? spec.version,
    }));
  }

  async #ensureNetwork(
    cloud: ProjectCloud,
    cluster: Cluster,
    plan: Plan,
    pools: readonly NodePool[],
    pass: Pass,
  ): Promise<Pick<ClusterFacts, 'network' | 'networkProblem' | 'projectID' | 'cloud'>> {
    const { attempts, cache, clock, credentials } = this.#dependencies;
    const refused = credentialProblem(cluster, cache.credentials);
    if (refused) return { ...NO_NETWORK, networkProblem: refused, cloud: { problem: refused } };
    const desired = desiredNetwork(cluster, plan.spec, pools);
    const step = { kind: 'network', item: identityOf(cluster) };
    const { value, failure } = await pass.run(() =>
      attempts.make(step, async () => {
        await requireOwnProject(cloud, cluster);
        const projectID = await cloud.client.session.projectId();
        // By its roots a cluster is known that loses its Cluster: they come first. One of a backup has brought its own.
        if (cluster.status?.originUID === undefined) await credentials.pki(cluster);
        return { projectID, network: await ensureNetwork(cloud, cluster, desired, pass.signal) };
      }),
    );
    const answer = answerOf(cloud, failure);
    if (failure) return { ...NO_NETWORK, networkProblem: failure, cloud: answer };
    // Once more after requests of an earlier run of this process have settled.
    const untrustedMs = cloud.trustedFromMs - clock.now();
    if (untrustedMs > 0) pass.againIn(untrustedMs + 1);
    if (value.network.problem) pass.againIn(NETWORK_PROBLEM_RETRY_MS);
    return { ...value, networkProblem: undefined, cloud: answer };
  }

  async #rest(cluster: Cluster, pass: Pass): Promise<ControlPlaneFacts> {
    return { ...NO_CONTROL_PLANE, ...(await restControlPlane(cluster, this.#dependencies, pass)) };
  }

  async #ensureControlPlane(
    cluster: Cluster,
    plan: Plan,
    pools: readonly NodePool[],
    version: string,
    pass: Pass,
  ): Promise<ControlPlaneFacts> {
    const { attempts, cache, credentials, runtime } = this.#dependencies;
    const item = identityOf(cluster);
    const ensured = await pass.run(() =>
      attempts.make({ kind: 'control plane', item }, async () => {
        if (await isDataElsewhere(cluster, runtime)) return undefined;
        const pki = await credentials.pki(cluster);
        const desiredNodes = sumOfReplicas(pools);
        const machines = cache.machines.find(machinesByCluster, keyOf(cluster));
        const spec = controlPlaneSpec(cluster, plan.spec, { version, pki, desiredNodes, machines });
        const controlPlane = await ofRuntime(runtime.ensure(spec));
        return { controlPlane, caCertificate: trustBundle(pki.cluster), etcdQuotaBytes: spec.etcdQuotaBytes };
      }),
    );
    if (ensured.failure) return { ...NO_CONTROL_PLANE, controlPlaneProblem: ensured.failure };
    if (ensured.value === undefined) {
      pass.againIn(DATA_ELSEWHERE_RETRY_MS);
      return { ...NO_CONTROL_PLANE, controlPlaneProblem: DATA_ELSEWHERE };
    }
    const known = { ...ensured.value, controlPlaneProblem: undefined, isConnected: false, isAtRest: false };
    const { controlPlane, caCertificate } = known;
    const { endpoint } = controlPlane;
    if (!controlPlane.ready || !endpoint) {
      pass.againIn(CONTROL_PLANE_RETRY_MS);
      return known;
    }
    const reachable = { ...cluster, status: { ...cluster.status, endpoint, caCertificate } };
    const { failure } = await pass.run(() =>
      attempts.make({ kind: 'connection', item }, () => this.#connect(reachable, pass.signal)),
    );
    return failure ? { ...known, controlPlaneProblem: failure } : { ...known, isConnected: true };
  }

  /** Connects to the tenant's API server, and creates the RBAC objects that nodes and users need. */
  async #connect(cluster: Cluster, signal: AbortSignal): Promise<void> {
    const { clock, tenants } = this.#dependencies;
    const deadline = new AbortController();
    const timer = clock.after(CONNECT_TIMEOUT_MS, () => deadline.abort(new TransportError('timed out')));
    const inTime = AbortSignal.any([signal, deadline.signal]);
    try {
      await ofTenant(tenants.ensure(cluster, inTime));
      const tenant = tenants.get(identityOf(cluster));
      if (tenant) await ofTenant(setUpTenant(tenant, inTime));
    } finally {
      timer.cancel();
    }
  }

  #planOf(cluster: Cluster): Plan | undefined {
    return this.#dependencies.cache.plans.get(cluster.spec.plan);
  }

  #credentialOf({ metadata, spec }: Cluster): CloudCredential | undefined {
    const { credentialName } = spec;
    const { credentials } = this.#dependencies.cache;
    return credentialName === undefined ? undefined : credentials.get(`${metadata.namespace}/${credentialName}`);
  }

  #cloudProfileOf({ metadata, spec }: Cluster): CloudProfileStatus | undefined {
    return this.#dependencies.profiles.get(`${metadata.namespace}/${cloudProfileName(spec.credentialName)}`)?.status;
  }

  #poolsOf(cluster: Cluster): readonly NodePool[] {
    return this.#dependencies.cache.nodePools.find(poolsByCluster, keyOf(cluster));
  }
}

type ControlPlaneFacts = Pick<
  ClusterFacts,
  'controlPlane' | 'controlPlaneProblem' | 'caCertificate' | 'etcdQuotaBytes' | 'isConnected'
> &
  Partial<Pick<ClusterFacts, 'isAtRest'>>;

const DATA_ELSEWHERE: Problem = {
  reason: ConditionReason.ControlPlaneFailed,
  message:
    'the cluster was restored, and its control-plane database is not here; start Fairway with the original --home, or copy that folder (docs/operators/backup.md)',
};
const DATA_ELSEWHERE_RETRY_MS = 30_000;

/** Whether a restored cluster's control plane is unknown to this runtime: a new one would be empty, and its nodes would delete their pods. */
async function isDataElsewhere(cluster: Cluster, runtime: ControlPlaneRuntime): Promise<boolean> {
  const { originUID, endpoint } = cluster.status ?? {};
  if (originUID === undefined || endpoint === undefined) return false;
  return !(await ofRuntime(runtime.list())).includes(identityOf(cluster));
}

const NO_CONTROL_PLANE = {
  controlPlane: undefined,
  controlPlaneProblem: undefined,
  caCertificate: undefined,
  etcdQuotaBytes: undefined,
  isConnected: false,
};

const NO_NETWORK = { projectID: undefined, network: undefined, networkProblem: undefined, cloud: undefined };

const NOTHING_LEARNT = { ...NO_NETWORK, ...NO_CONTROL_PLANE };

function blockerOf(
  cluster: Cluster,
  plan: Plan | undefined,
  cloud: ProjectCloud | undefined,
  choice: VersionChoice,
): Problem | undefined {
  if (plan === undefined) {
    return {
      reason: ConditionReason.PlanNotFound,
      message: `spec.plan: Plan ${cluster.spec.plan} no longer exists; the operator has to restore it`,
    };
  }
  if (cloud === undefined) return missingCloud(cluster);
  return choice.version === undefined ? choice.waiting : undefined;
}
