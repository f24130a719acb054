import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { nextNoticeMs, plannedUpgradeMs, releaseOf } from '@fairway/api/domain/end-of-life';
import { decideHibernation, nextHibernationChangeMs, shouldHibernate } from '@fairway/api/domain/hibernation';
import { nextMaintenanceChangeMs } from '@fairway/api/domain/maintenance-gate';
import { decideReset, isBeingWiped, type ResetDecision } from '@fairway/api/domain/reset';
import { FINALIZER } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import { type CloudProfileStatus, cloudProfileName } from '@fairway/api/kinds/cloud-profile';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Plan } from '@fairway/api/kinds/plan';
import { releasesOfPlan } from '@fairway/api/limits/version-window';
import { keyOf } from '@fairway/kube/client/object-key';
import { findCondition, isConditionTrue, isConditionTrueOf } from '@fairway/kube/controller/conditions';
import { ensureFinalizer, hasFinalizer } from '@fairway/kube/controller/finalizers';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { machinesByCluster, poolsByCluster } from '@fairway/tenancy/cache-indexes';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project-error';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import { credentialProblem, describeLoginProblem, missingCloud } from '@fairway/tenancy/credentials/credential-problem';
import type { Problem } from '@fairway/tenancy/problem';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { isMachineOf } from '../node-pool/machine-owner.ts';
import { ensurePausedCondition } from '../pause.ts';
import { warnIfSlow } from '../slow-work.ts';
import { writeStatus } from '../status-writer.ts';
import { measuredSeconds } from '../upgrade-preview/estimate.ts';
import { poolUpdates } from '../upgrade-preview/pool-updates.ts';
import { warnOfNewReason } from '../waits.ts';
import { cloudStateOf } from './cloud-condition.ts';
import { ensureControlPlane, hibernatedControlPlane, NO_CONTROL_PLANE } from './control-plane.ts';
import { recordCredentialEvents } from './credential-condition.ts';
import { recordCaEvents } from './credentials-status.ts';
import { deleteCluster } from './deletion.ts';
import type { ClusterDependencies } from './dependencies.ts';
import { desiredNetwork } from './desired-state.ts';
import { recordEndOfLifeEvents, recordForcedUpgradeEvent } from './end-of-life.ts';
import { isHibernated, isNewDecision } from './hibernation.ts';
import { ensureNetwork } from './network.ts';
import { canNodesStart } from './network-condition.ts';
import { requiredFreshness } from './network-freshness.ts';
import { invalidateNetworkLists } from './network-observation.ts';
import type { NetworkPlan } from './network-state.ts';
import { PassStatus } from './pass-status.ts';
import { planRefusal } from './plan-admission.ts';
import { claimFromPlan, claimFromProject, isProvisioned } from './plan-claim.ts';
import { resetControlPlane } from './reset.ts';
import { StartingControlPlane } from './starting-control-plane.ts';
import { type ClusterFacts, clusterStatus } from './status.ts';
import { chooseVersion } from './version-choice.ts';
import type { NodeVersion, VersionChoice } from './version-facts.ts';
import { recordUpgradeEvents, recordVersionEvents } from './version-status.ts';

/** How often a ready cluster is compared with the cloud. */
const RESYNC_INTERVAL_MS = 600_000;
/**
 * How often to check whether a user has fixed what blocks the network, and how soon to continue with a network that
 * needs more steps than fit into one pass.
 */
const NETWORK_RETRY_MS = 60_000;
/** How often to check whether the plan allows the cluster now: another cluster may have been deleted. */
const PLAN_CLAIM_RETRY_MS = 60_000;

/** Creates each Cluster's network and control plane, in parallel, and aggregates the status of its pools. */
export class ClusterReconciler {
  readonly #dependencies: ClusterDependencies;

  constructor(dependencies: ClusterDependencies) {
    this.#dependencies = dependencies;
  }

  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { cache, client, events, clock, clouds, attempts } = this.#dependencies;
    const found = cache.clusters.get(key);
    const active =
      found && (await ensurePausedCondition(client.resource(clusters), found, undefined, this.#dependencies));
    if (active === undefined) return {};
    const cluster = await ensureFinalizer(client.resource(clusters), active, FINALIZER);
    const cloud = clouds.of(key, cluster.spec.credentialName);
    if (!hasFinalizer(active, FINALIZER)) cloud?.recordNew(identityOf(cluster));
    if (context.userTriggered) {
      cloud?.attempts.retryNow();
      if (cloud) invalidateNetworkLists(cloud, cluster.status?.network?.networkID ?? cluster.spec.network.networkID);
      attempts.retryNow((item) => item === identityOf(cluster));
    }
    const pass = new Pass(context, clock);
    if (cluster.metadata.deletionTimestamp !== undefined) {
      return deleteCluster(cluster, this.#poolsOf(cluster), this.#dependencies, pass);
    }
    const written = new PassStatus(client, cluster);
    const working = this.#ensure(key, cluster, pass, written);
    const facts = await warnIfSlow(clock, working, () => this.#reportWaiting(cluster, written));
    return pass.end(async () => {
      const decided = clusterStatus(cluster, facts);
      const { status, requeueAfterMs } = await recordEndOfLifeEvents(events, cluster, decided);
      pass.requeueAfter(requeueAfterMs);
      await written.end(status);
      recordVersionEvents(events, cluster, status);
      recordUpgradeEvents(events, cluster, status);
      recordCredentialEvents(events, cluster, status);
      recordCaEvents(events, cluster, status);
      if (status.phase === cluster.status?.phase || status.phase === undefined) {
        warnOfNewReason(events, cluster, status.conditions);
        return;
      }
      const message = status.phase === 'Ready' ? 'the cluster is ready' : (status.lastOperation?.description ?? '');
      const eventMessage = findCondition(status.conditions, ConditionType.Ready)?.message ?? message;
      if (status.phase === 'Degraded' || status.phase === 'Failed') events.warning(cluster, status.phase, eventMessage);
      else events.normal(cluster, status.phase, message);
    });
  }

  /** Reports that a cluster without a network yet is waiting for the cloud. */
  async #reportWaiting(cluster: Cluster, written: PassStatus): Promise<void> {
    if (written.isPatched || isConditionTrue(cluster.status?.conditions, ConditionType.NetworkReady)) return;
    // The last failure is already reported, and is being retried.
    if (cluster.status?.lastOperation?.state === 'Error') return;
    const { cache, clock } = this.#dependencies;
    const networkProblem = {
      reason: ConditionReason.Provisioning,
      message: 'the network is being created; the cloud has not responded yet',
    };
    const status = clusterStatus(cluster, {
      ...EMPTY_OBSERVATION,
      plan: this.#planOf(cluster)?.spec,
      releases: this.#releasesOf(cluster),
      choice: undefined,
      credential: this.#credentialOf(cluster),
      blocker: undefined,
      pools: this.#poolsOf(cluster),
      machines: this.#dependencies.cache.machines.find(machinesByCluster, keyOf(cluster)).length,
      machinesOf: this.#machinesOf,
      hibernation: cluster.status?.hibernation,
      resetting: { reset: cluster.status?.reset, problem: undefined },
      isHibernated: isHibernated(cluster),
      cloudProfile: this.#cloudProfileOf(cluster),
      spread: this.#dependencies.runtime.spread,
      servesAutoscalers: this.#dependencies.servesAutoscalers,
      nodeUpgradeSeconds: (version: string) => this.#nodeUpgradeSeconds(cluster, version),
      nowMs: clock.now(),
      networkProblem,
    });
    await written.patch(() => status);
  }

  async #ensure(key: string, stored: Cluster, pass: Pass, written: PassStatus): Promise<ClusterFacts> {
    const { cache, client, clouds, clock, quotas, runtime } = this.#dependencies;
    const hibernation = decideHibernation(stored, clock.now());
    const releases = this.#releasesOf(stored);
    const resetting = decideReset(stored, releases, clock.now());
    const { reset } = resetting;
    const cluster = { ...stored, status: { ...stored.status, hibernation, reset } };
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
      machinesOf: this.#machinesOf,
      hibernation,
      resetting,
      isHibernated: isHibernated(cluster),
      cloudProfile: this.#cloudProfileOf(cluster),
      spread: runtime.spread,
      servesAutoscalers: this.#dependencies.servesAutoscalers,
      nodeUpgradeSeconds: (version: string) => this.#nodeUpgradeSeconds(cluster, version),
      nowMs: clock.now(),
    };
    // A pass takes as long as the cloud does: pools are usually created in the meantime.
    const facts = () => ({
      ...base,
      pools: this.#poolsOf(cluster),
      machines: cache.machines.find(machinesByCluster, key).length,
    });
    pass.requeueAfter(RESYNC_INTERVAL_MS);
    const nowMs = clock.now();
    const release = releaseOf(cluster.status?.version, releases);
    for (const nextMs of [
      nextMaintenanceChangeMs(cluster, nowMs),
      nextHibernationChangeMs(cluster, nowMs),
      release && nextNoticeMs(release, nowMs),
      plannedUpgradeMs(cluster, nowMs),
    ]) {
      if (nextMs !== undefined) pass.requeueAfter(nextMs - nowMs);
    }
    const { version } = choice;
    if (blocker || !plan || !cloud || version === undefined) return { ...facts(), ...EMPTY_OBSERVATION };
    const claim = await pass.run(async () => {
      if (isProvisioned(cluster)) return undefined;
      const limitsPlan = this.#dependencies.cache.plans.get(plan.spec.limitsFrom ?? '');
      return (
        (await planRefusal(cluster, plan, { base: limitsPlan, cloud, signal: pass.signal, nowMs: clock.now() })) ??
        (await claimFromPlan(client, cluster, plan, pass.signal)) ??
        (await claimFromProject(client, cluster, quotas.of(cluster.metadata.namespace ?? ''), pass.signal))
      );
    });
    const refused = claim.failure ?? claim.value;
    if (refused) {
      pass.requeueAfter(PLAN_CLAIM_RETRY_MS);
      return { ...facts(), ...EMPTY_OBSERVATION, blocker: refused };
    }
    const decided = await pass.run(() => this.#decide(stored, choice, { hibernation, reset }));
    if (decided.failure) return { ...facts(), ...EMPTY_OBSERVATION, controlPlaneProblem: decided.failure };
    // The control plane stays available until the nodes from before the reset are deleted.
    const isWipeDue = isBeingWiped(cluster) && (reset?.phase !== 'RemovingNodes' || machines === 0);
    const ensureControlPlaneNow = () =>
      isWipeDue && reset
        ? resetControlPlane(cluster, reset, cloud, this.#dependencies, pass)
        : shouldHibernate(cluster) && machines === 0 && !isBeingWiped(cluster)
          ? hibernatedControlPlane(cluster, this.#dependencies, pass)
          : ensureControlPlane(cluster, plan, { pools, version }, this.#dependencies, pass);
    await using startingControlPlane = new StartingControlPlane(runtime, identityOf(cluster), ensureControlPlaneNow);
    const { promise: networkDone, resolve: onNetworkDone } = Promise.withResolvers<void>();
    // Nodes may start while the router is still being attached, but not if attaching it has failed.
    const reportUsable = async (network: Pick<ClusterFacts, 'network' | 'projectID'>) => {
      if (canNodesStart(stored.status) || stored.status?.lastOperation?.state === 'Error') return;
      await startingControlPlane.follow(networkDone, (controlPlane) =>
        written.patch(() => clusterStatus(stored, { ...facts(), ...NO_NETWORK, ...network, ...controlPlane })),
      );
    };
    let reporting: Promise<void> | undefined;
    const network = await this.#ensureNetwork(cloud, cluster, plan, pools, pass, (usable) => {
      reporting = reportUsable(usable).catch(() => undefined);
    }).finally(onNetworkDone);
    await reporting;
    const controlPlane = await startingControlPlane.latest;
    return { ...facts(), ...network, ...controlPlane };
  }

  /**
   * Records the version and why it was forced, hibernation and reset, before anything acts on them, so that the next
   * pass makes the same decision.
   */
  async #decide(
    cluster: Cluster,
    { version, forced: forcedUpgrade }: VersionChoice,
    { hibernation, reset }: { hibernation: ClusterFacts['hibernation']; reset: ResetDecision['reset'] },
  ): Promise<void> {
    const desiredVersion = version ?? cluster.status?.desiredVersion;
    const isKnown = desiredVersion === cluster.status?.desiredVersion && reset === cluster.status?.reset;
    if (isKnown && !isNewDecision(cluster, hibernation)) return;
    await recordForcedUpgradeEvent(this.#dependencies.events, cluster, forcedUpgrade);
    const status = { ...cluster.status, desiredVersion, forcedUpgrade, hibernation, reset };
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
    reportUsable: (facts: { readonly network: NetworkPlan; readonly projectID: string }) => void,
  ): Promise<Pick<ClusterFacts, 'network' | 'networkProblem' | 'projectID' | 'cloud'>> {
    const { attempts, cache, clock, credentials } = this.#dependencies;
    const refused = credentialProblem(cluster, cache.credentials);
    if (refused) return { ...NO_NETWORK, networkProblem: refused, cloud: { problem: refused } };
    const desired = desiredNetwork(cluster, plan.spec, pools);
    const freshness = requiredFreshness(cache.machines.find(machinesByCluster, keyOf(cluster)), clock.now());
    pass.requeueAfter(freshness?.requeueAfterMs);
    // Everything that this spec requires existed at the last check.
    const isSettled = isConditionTrueOf(
      cluster.status?.conditions,
      ConditionType.NetworkReady,
      cluster.metadata.generation,
    );
    const observation = { isSettled, sinceMs: freshness?.sinceMs };
    const step = { kind: 'network', item: identityOf(cluster) };
    const { value, failure } = await pass.run(() =>
      attempts.withBackoff(step, async () => {
        await requireOwnProject(cloud, cluster);
        const projectID = await cloud.client.session.projectId();
        // The CA comes first: its Secret identifies a cluster whose Cluster object is lost. A restored cluster already
        // has its own.
        if (cluster.status?.originUID === undefined) await credentials.pki(cluster);
        const onUsable = (network: NetworkPlan) => reportUsable({ network, projectID });
        const work = { signal: pass.signal, observation, onUsable };
        return { projectID, network: await ensureNetwork(cloud, cluster, desired, work) };
      }),
    );
    const cloudState = cloudStateOf(cloud, failure);
    if (failure)
      return { ...NO_NETWORK, networkProblem: describeLoginProblem(failure, { cluster, cloud }), cloud: cloudState };
    // Again after requests from an earlier run of this process have settled.
    const untrustedForMs = cloud.trustedFromMs - clock.now();
    if (untrustedForMs > 0) pass.requeueAfter(untrustedForMs + 1);
    if (value.network.problem || !value.network.ready) pass.requeueAfter(NETWORK_RETRY_MS);
    return { ...value, networkProblem: undefined, cloud: cloudState };
  }

  #nodeUpgradeSeconds(cluster: Cluster, version: string): number | undefined {
    const machines = this.#dependencies.cache.machines.find(machinesByCluster, keyOf(cluster));
    const after = { ...cluster, status: { ...cluster.status, version } };
    return measuredSeconds(
      poolUpdates({ after, plan: this.#planOf(cluster), pools: this.#poolsOf(cluster), machines }),
    );
  }

  readonly #machinesOf = (pool: NodePool): readonly Machine[] => {
    const all = this.#dependencies.cache.machines.find(machinesByCluster, clusterKeyOf(pool));
    return all.filter((machine) => isMachineOf(pool, machine));
  };

  /** The catalogue, as the cluster's plan allows it. */
  #releasesOf(cluster: Cluster): readonly KubernetesRelease[] {
    const { cache, clock } = this.#dependencies;
    const running = cluster.status?.version;
    return releasesOfPlan(this.#planOf(cluster), { releases: cache.releases.list(), running, nowMs: clock.now() });
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

const NO_NETWORK = { projectID: undefined, network: undefined, networkProblem: undefined, cloud: undefined };

const EMPTY_OBSERVATION = { ...NO_NETWORK, ...NO_CONTROL_PLANE };

function blockerOf(
  cluster: Cluster,
  plan: Plan | undefined,
  cloud: ProjectCloud | undefined,
  choice: VersionChoice,
): Problem | undefined {
  if (plan === undefined) {
    return {
      reason: ConditionReason.PlanNotFound,
      message: `spec.plan: Plan ${cluster.spec.plan} no longer exists; the operator must restore it`,
    };
  }
  if (cloud === undefined) return missingCloud(cluster);
  return choice.version === undefined ? choice.waiting : undefined;
}
