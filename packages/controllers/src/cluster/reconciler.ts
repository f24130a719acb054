import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { resolveUpgrade, resolveVersion } from '@fairway/api/domain/versions';
import { FINALIZER } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Plan } from '@fairway/api/kinds/plan';
import { trustBundle } from '@fairway/control-plane/pki/cluster-pki';
import type { ControlPlaneRuntime, ControlPlaneState } from '@fairway/control-plane/runtime';
import { keyOf } from '@fairway/kube/client/object-key';
import { TransportError } from '@fairway/kube/client/transport';
import { isConditionTrue } from '@fairway/kube/controller/conditions';
import { ensureFinalizer, hasFinalizer } from '@fairway/kube/controller/finalizers';
import type { Result } from '@fairway/kube/controller/result';
import { ApiError } from '@fairway/kube/object/api-error';
import { poolsByCluster } from '@fairway/tenancy/cache-indexes';
import { cloudProblemOf } from '@fairway/tenancy/cloud/cloud-problem';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { credentialProblem, missingCloud } from '@fairway/tenancy/credentials/credential-problem';
import type { Problem } from '@fairway/tenancy/problem';
import { heedPause } from '../pause.ts';
import { tellIfSlow } from '../slow-work.ts';
import { writeStatus } from '../status-writer.ts';
import { deleteCluster } from './deletion.ts';
import type { ClusterDependencies } from './dependencies.ts';
import { ensureNetwork } from './network.ts';
import type { NetworkPlan } from './network-plan.ts';
import { type ClusterFacts, clusterStatus } from './status.ts';
import { setUpTenant } from './tenant-setup.ts';
import { controlPlaneSpec, networkWish } from './wishes.ts';

/** How often a cluster at rest is compared with the cloud. */
const RESYNC_MS = 600_000;
/** How soon to ask again for a control plane that is on its way and has no way to say so. */
const CONTROL_PLANE_RETRY_MS = 5_000;

/** Gives each Cluster a network and a control plane, side by side, and sums up what its pools say. */
export class ClusterReconciler {
  readonly #dependencies: ClusterDependencies;
  /** For which data of each tenant's API server it was set up: a restore takes it back to before. */
  readonly #setUp = new Map<string, number>();

  constructor(dependencies: ClusterDependencies) {
    this.#dependencies = dependencies;
  }

  async reconcile(key: string): Promise<Result> {
    const { cache, client, events, clock, clouds } = this.#dependencies;
    const found = cache.clusters.get(key);
    const active = found && (await heedPause(client.resource(clusters), found, undefined, clock.now()));
    if (active === undefined) return {};
    const cluster = await ensureFinalizer(client.resource(clusters), active, FINALIZER);
    if (!hasFinalizer(active, FINALIZER)) clouds.of(key, cluster.spec.credentialName)?.noteNew(identityOf(cluster));
    if (cluster.metadata.deletionTimestamp !== undefined) {
      this.#setUp.delete(identityOf(cluster));
      return deleteCluster(cluster, this.#poolsOf(cluster), this.#dependencies);
    }
    const ensuring = this.#ensure(key, cluster);
    const { facts, requeueAfterMs } = await tellIfSlow(clock, ensuring, () => this.#tellWaiting(cluster));
    const status = clusterStatus(cluster, facts);
    await writeStatus(client.resource(clusters), cluster, status);
    if (status.phase !== cluster.status?.phase && status.phase !== undefined) {
      const message = status.lastOperation?.description ?? '';
      if (status.phase === 'Degraded' || status.phase === 'Failed') events.warning(cluster, status.phase, message);
      else events.normal(cluster, status.phase, message);
    }
    return { requeueAfterMs };
  }

  /** Drops what is remembered of a cluster that is another process's from now on. */
  forget(clusterUid: string): void {
    this.#setUp.delete(clusterUid);
  }

  /** A cluster whose network is not there yet says that it is the cloud that it waits for. */
  async #tellWaiting(cluster: Cluster): Promise<void> {
    if (isConditionTrue(cluster.status?.conditions, ConditionType.NetworkReady)) return;
    const { cache, client, clock } = this.#dependencies;
    const networkProblem = {
      reason: ConditionReason.Provisioning,
      message: 'the network is being made; the cloud has not answered yet',
    };
    const status = clusterStatus(cluster, {
      ...NOTHING_LEARNT,
      plan: this.#planOf(cluster)?.spec,
      releases: cache.releases.list(),
      blocker: undefined,
      pools: this.#poolsOf(cluster),
      nowMs: clock.now(),
      networkProblem,
    });
    await writeStatus(client.resource(clusters), cluster, status);
  }

  async #ensure(key: string, cluster: Cluster): Promise<{ facts: ClusterFacts; requeueAfterMs: number }> {
    const { cache, clouds, clock } = this.#dependencies;
    const releases = cache.releases.list();
    const plan = this.#planOf(cluster);
    const pools = this.#poolsOf(cluster);
    const cloud = clouds.of(key, cluster.spec.credentialName);
    const version = cluster.status?.version
      ? resolveUpgrade(cluster.spec.version, cluster.status.version, releases)
      : resolveVersion(cluster.spec.version, releases);
    const blocker = blockerOf(cluster, plan, cloud, version);
    const base = { plan: plan?.spec, releases, blocker, pools, nowMs: clock.now() };
    if (blocker || !plan || !cloud || !version.ok) {
      return { facts: { ...base, ...NOTHING_LEARNT }, requeueAfterMs: RESYNC_MS };
    }
    const [network, controlPlane] = await Promise.all([
      this.#ensureNetwork(key, cloud, cluster, plan, pools),
      this.#ensureControlPlane(cluster, plan, pools, version.version.version),
    ]);
    const facts: ClusterFacts = {
      ...base,
      network: network.plan,
      networkProblem: network.problem,
      projectID: network.projectID,
      controlPlane: controlPlane.state,
      controlPlaneProblem: controlPlane.problem,
      caCertificate: controlPlane.caCertificate,
      etcdQuotaBytes: controlPlane.etcdQuotaBytes,
      isConnected: controlPlane.isConnected,
    };
    return { facts, requeueAfterMs: Math.min(network.retryAfterMs, controlPlane.retryAfterMs) };
  }

  async #ensureNetwork(
    key: string,
    cloud: ProjectCloud,
    cluster: Cluster,
    plan: Plan,
    pools: readonly NodePool[],
  ): Promise<{ plan?: NetworkPlan; problem?: Problem; projectID?: string; retryAfterMs: number }> {
    const { backoff, cache, clock } = this.#dependencies;
    const refused = credentialProblem(cluster, cache.credentials);
    if (refused) return { problem: refused, retryAfterMs: RESYNC_MS };
    try {
      await requireOwnProject(cloud, cluster);
      const projectID = await cloud.client.session.projectId();
      const network = await ensureNetwork(cloud, cluster, networkWish(cluster, plan.spec, pools));
      backoff.succeeded(key);
      // Once more when all is told that an earlier run of this process may have asked for.
      const untrustedMs = cloud.trustedFromMs - clock.now();
      const resyncMs = untrustedMs > 0 ? untrustedMs + 1 : RESYNC_MS;
      return { plan: network, projectID, retryAfterMs: network.problem ? 60_000 : resyncMs };
    } catch (error) {
      const problem = cloudProblemOf(error, clock.now());
      if (problem === undefined) throw error;
      return { problem, retryAfterMs: problem.retryAfterMs ?? backoff.failed(key, clock.now()) };
    }
  }

  async #ensureControlPlane(
    cluster: Cluster,
    plan: Plan,
    pools: readonly NodePool[],
    version: string,
  ): Promise<{
    state?: ControlPlaneState;
    problem?: Problem;
    caCertificate?: string;
    etcdQuotaBytes?: number;
    isConnected: boolean;
    retryAfterMs: number;
  }> {
    const { credentials, runtime } = this.#dependencies;
    if (await isDataElsewhere(cluster, runtime)) {
      return { problem: DATA_ELSEWHERE, isConnected: false, retryAfterMs: DATA_ELSEWHERE_RETRY_MS };
    }
    const pki = await credentials.pki(cluster);
    const desiredNodes = pools.reduce((sum, { spec }) => sum + spec.replicas, 0);
    const spec = controlPlaneSpec(cluster, plan.spec, { version, pki, desiredNodes });
    const state = await runtime.ensure(spec);
    const caCertificate = trustBundle(pki.cluster);
    const known = { state, caCertificate, etcdQuotaBytes: spec.etcdQuotaBytes };
    if (!state.ready || !state.endpoint) return { ...known, isConnected: false, retryAfterMs: CONTROL_PLANE_RETRY_MS };
    try {
      await this.#connect(
        { ...cluster, status: { ...cluster.status, endpoint: state.endpoint, caCertificate } },
        state,
      );
      return { ...known, isConnected: true, retryAfterMs: RESYNC_MS };
    } catch (error) {
      if (!(error instanceof TransportError || error instanceof ApiError)) throw error;
      const problem = {
        reason: ConditionReason.ControlPlaneFailed,
        message: `the API server of the cluster does not serve Fairway: ${error.message}`,
      };
      return { ...known, problem, isConnected: false, retryAfterMs: CONTROL_PLANE_RETRY_MS };
    }
  }

  /** Connects to the tenant's API server, and sets it up the first time that this process meets its data. */
  async #connect(cluster: Cluster, { snapshots }: ControlPlaneState): Promise<void> {
    const { tenants } = this.#dependencies;
    const uid = identityOf(cluster);
    await tenants.ensure(cluster);
    const tenant = tenants.get(uid);
    const dataOfMs = snapshots?.restored?.atMs ?? 0;
    if (tenant === undefined || this.#setUp.get(uid) === dataOfMs) return;
    await setUpTenant(tenant.client);
    this.#setUp.set(uid, dataOfMs);
  }

  #planOf(cluster: Cluster): Plan | undefined {
    return this.#dependencies.cache.plans.get(cluster.spec.plan);
  }

  #poolsOf(cluster: Cluster): readonly NodePool[] {
    return this.#dependencies.cache.nodePools.find(poolsByCluster, keyOf(cluster));
  }
}

const DATA_ELSEWHERE: Problem = {
  reason: ConditionReason.ControlPlaneFailed,
  message:
    'the cluster was restored, and the database of its control plane is not here; start Fairway with the --home that it had, or copy that folder (docs/operators/backup.md)',
};
const DATA_ELSEWHERE_RETRY_MS = 30_000;

/** Whether a restored cluster has a control plane that this runtime knows nothing of: a new one would be empty, and its nodes would obey it. */
async function isDataElsewhere(cluster: Cluster, runtime: ControlPlaneRuntime): Promise<boolean> {
  const { originUID, endpoint } = cluster.status ?? {};
  if (originUID === undefined || endpoint === undefined) return false;
  return !(await runtime.list()).includes(identityOf(cluster));
}

const NOTHING_LEARNT = {
  projectID: undefined,
  network: undefined,
  networkProblem: undefined,
  controlPlane: undefined,
  controlPlaneProblem: undefined,
  caCertificate: undefined,
  etcdQuotaBytes: undefined,
  isConnected: false,
};

function blockerOf(
  cluster: Cluster,
  plan: Plan | undefined,
  cloud: ProjectCloud | undefined,
  version: ReturnType<typeof resolveVersion>,
): Problem | undefined {
  if (plan === undefined) {
    return {
      reason: ConditionReason.PlanNotFound,
      message: `spec.plan: there is no Plan ${cluster.spec.plan} any more; the operator restores it`,
    };
  }
  if (cloud === undefined) return missingCloud(cluster);
  if (!version.ok) return { reason: ConditionReason.VersionNotOffered, message: `spec.version: ${version.problem}` };
  return undefined;
}
