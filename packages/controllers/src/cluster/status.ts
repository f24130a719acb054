import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { cniInstaller } from '@fairway/api/domain/cni-installer';
import { effectiveNetworking } from '@fairway/api/domain/effective-networking';
import { decideEndOfLife } from '@fairway/api/domain/end-of-life';
import { maintenanceStatusOf } from '@fairway/api/domain/maintenance-gate';
import { isBeingWiped, type ResetDecision } from '@fairway/api/domain/reset';
import { targetReplicas } from '@fairway/api/domain/target-replicas';
import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import type { CloudProfileStatus } from '@fairway/api/kinds/cloud-profile';
import type { Cluster, ClusterStatus } from '@fairway/api/kinds/cluster';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { PlanSpec } from '@fairway/api/kinds/plan';
import type { LastOperation } from '@fairway/api/kinds/status';
import { endpointUrl } from '@fairway/control-plane/kubeconfig';
import type { ControlPlaneSpread, ControlPlaneState } from '@fairway/control-plane/runtime';
import { type ConditionState, isConditionTrue, setConditions } from '@fairway/kube/controller/conditions';
import { conditionMet, conditionUnmet, type Problem } from '@fairway/tenancy/problem';
import { datedConditions } from '../waits.ts';
import { addonsCondition } from './addons-condition.ts';
import { type CloudState, cloudCondition } from './cloud-condition.ts';
import { credentialCondition } from './credential-condition.ts';
import { type CaFacts, caCondition, credentialsCondition, credentialsStatusOf } from './credentials-status.ts';
import { nextDurations } from './durations.ts';
import {
  type HibernationFacts,
  hibernatedCondition,
  hibernationPhase,
  hibernationStatusOf,
  wakingCondition,
} from './hibernation-status.ts';
import { lastOperation } from './last-operation.ts';
import { networkCondition, networkStatus } from './network-condition.ts';
import type { NetworkPlan } from './network-state.ts';
import { type NodeCounts, nodeCounts } from './node-counts.ts';
import { clusterPhase } from './phase.ts';
import { planConditions } from './plan-conditions.ts';
import {
  resetImpossibleCondition,
  resetPhase,
  resetStatusOf,
  resettingCondition,
  statusAfterReset,
} from './reset-status.ts';
import { snapshotStatus, snapshotsCondition } from './snapshots.ts';
import { upgradeOperation } from './upgrade-operation.ts';
import type { VersionChoice } from './version-facts.ts';
import { supportedCondition, upToDateCondition, versionStatus } from './version-status.ts';

/** Observations of one pass over a Cluster; undefined ones retain their last reported state. */
export interface ClusterFacts extends HibernationFacts {
  readonly plan: PlanSpec | undefined;
  readonly releases: readonly KubernetesRelease[];
  /** Undefined if not decided in this pass. */
  readonly choice: VersionChoice | undefined;
  /** Set if the cluster cannot be reconciled at all. */
  readonly blocker: Problem | undefined;
  readonly network: NetworkPlan | undefined;
  readonly networkProblem: Problem | undefined;
  readonly projectID: string | undefined;
  /** The CloudCredential that its spec refers to, if any. */
  readonly credential: CloudCredential | undefined;
  /** How the cloud responded; undefined if no request was made. */
  readonly cloud: CloudState | undefined;
  readonly controlPlane: ControlPlaneState | undefined;
  readonly controlPlaneProblem: Problem | undefined;
  readonly caCertificate: string | undefined;
  /** Undefined if not observed. */
  readonly caFacts: CaFacts | undefined;
  readonly etcdQuotaBytes: number | undefined;
  /** Keystone users with access; null if none, undefined if not observed. */
  readonly keystone?: ClusterStatus['keystone'] | null;
  /** See `limitPoliciesStatus`. */
  readonly limitPolicies?: ClusterStatus['limitPolicies'] | null;
  /** Whether Fairway is connected to the tenant's API server. */
  readonly isConnected: boolean;
  readonly resetting: ResetDecision;
  readonly pools: readonly NodePool[];
  /** The machines of a pool. */
  readonly machinesOf: (pool: NodePool) => readonly Machine[];
  /** The cloud's offer to the project, as last recorded. */
  readonly cloudProfile: CloudProfileStatus | undefined;
  /** What the runtime provides for each control plane. */
  readonly spread: ControlPlaneSpread;
  /** Whether this Fairway serves external autoscalers. */
  readonly servesAutoscalers?: boolean | undefined;
  /**
   * How long the nodes take to upgrade to the version; undefined if not observed yet. Called only while the
   * control plane is updated.
   */
  readonly nodeUpgradeSeconds: (version: string) => number | undefined;
  readonly nowMs: number;
}

/** The status of a cluster that is not being deleted. Pure; every condition is set every time. */
export function clusterStatus(cluster: Cluster, facts: ClusterFacts): ClusterStatus {
  const previous = statusAfterReset(cluster.status, facts.resetting);
  const generation = cluster.metadata.generation ?? 0;
  const hibernation = hibernationStatusOf(facts, facts.nowMs);
  const { reset } = facts.resetting;
  const sizes = { status: { hibernation, reset } };
  const nodes = nodeCounts(facts.pools, sizes);
  const network = networkCondition(facts, previous, generation);
  const cloud = cloudCondition(facts, previous);
  const controlPlane = controlPlaneCondition(facts);
  const nodePools = nodePoolsCondition(facts, nodes, sizes);
  const settings = settingsCondition(facts);
  const hibernatedReady = hibernatedCondition(cluster, hibernation, facts, facts.blocker ?? facts.controlPlaneProblem);
  const resetting = resettingCondition(reset, facts.machines, facts.blocker ?? facts.controlPlaneProblem);
  const ready =
    resetting ??
    hibernatedReady ??
    readyCondition([network, controlPlane, ...(settings ? [settings] : []), nodePools], facts.blocker);
  const states = { network, controlPlane, ready };
  const version = facts.controlPlane?.version ?? previous?.version;
  const { caFacts } = facts;
  const credentials = credentialsStatusOf(
    previous?.credentials,
    caFacts,
    facts.controlPlane?.certificatesEndMs,
    facts.nowMs,
  );
  const upgrading = upgradeOperation(cluster, { ...facts, version });
  const upToDate = upToDateCondition(facts, version, upgrading);
  // If this was not decided in this pass, it is not reported either.
  const endOfLife =
    facts.choice === undefined
      ? previous?.endOfLife
      : decideEndOfLife({ ...cluster, status: { ...previous, version } }, facts.releases, facts.nowMs);
  const forcedUpgrade = facts.choice === undefined ? previous?.forcedUpgrade : facts.choice.forced;
  const limitPolicies =
    facts.limitPolicies === undefined ? previous?.limitPolicies : (facts.limitPolicies ?? undefined);
  const conditions = setConditions(
    previous?.conditions,
    {
      [ConditionType.NetworkReady]: network,
      [ConditionType.ControlPlaneReady]: controlPlane,
      [ConditionType.NodePoolsReady]: nodePools,
      ...(facts.controlPlane && {
        [ConditionType.SettingsApplied]: settings,
        [ConditionType.SnapshotsReady]: snapshotsCondition(cluster.spec, facts.controlPlane),
      }),
      ...(cloud && { [ConditionType.CloudReachable]: cloud }),
      ...(upToDate && { [ConditionType.UpToDate]: upToDate }),
      [ConditionType.VersionSupported]: supportedCondition(
        { ...cluster, status: { version, endOfLife } },
        nodes.oldestVersion,
        facts,
      ),
      [ConditionType.CredentialExpiresSoon]: credentialCondition(facts.credential),
      ...(caFacts && {
        [ConditionType.CredentialsStable]: credentialsCondition(cluster, credentials, caFacts),
        [ConditionType.AuthorityExpiresSoon]: caCondition(cluster, caFacts, facts.nowMs),
      }),
      ...planConditions({ ...cluster, status: { ...cluster.status, version, forcedUpgrade, limitPolicies } }, facts),
      [ConditionType.WakingPossible]: wakingCondition(hibernation, facts.pools, facts.cloudProfile),
      [ConditionType.AddonsReady]: addonsCondition(previous?.addons, hibernation),
      [ConditionType.ResetPossible]: resetImpossibleCondition(facts.resetting),
      [ConditionType.Ready]: ready,
    },
    { generation, nowMs: facts.nowMs },
  );
  const phase =
    (isBeingWiped(sizes) ? resetPhase(reset, ready) : undefined) ??
    hibernationPhase(hibernation, previous?.phase, ready) ??
    (ready.status === 'True' ? undefined : resetPhase(reset, ready)) ??
    clusterPhase({ ...states, settings, nodePools }, facts.pools, previous, generation);
  const now = lastOperation(
    { ...cluster, status: { ...previous, hibernation, reset, ...(credentials && { credentials }) } },
    phase,
    states,
    { nodes, upgrading },
    facts,
  );
  const isControlPlaneDone = isDone(previous, { now, version, controlPlane });
  const seen = { before: cluster.status?.lastOperation, now, isControlPlaneDone };
  const durations = nextDurations(previous?.durations, seen, facts.nowMs);
  const endpoint = facts.controlPlane?.endpoint ?? previous?.endpoint;
  const networking = facts.plan && effectiveNetworking(cluster, facts.plan);
  return {
    ...previous,
    observedGeneration: generation,
    phase,
    conditions: [...datedConditions(conditions, now)],
    ...versionStatus(version, nodes.oldestVersion, facts),
    endOfLife,
    forcedUpgrade,
    upToDate:
      nodes.upToDate === nodes.current &&
      nodes.current === nodes.desired &&
      isConditionTrue(conditions, ConditionType.UpToDate),
    ...(endpoint && { endpoint, url: endpointUrl(endpoint) }),
    ...(facts.caCertificate !== undefined && { caCertificate: facts.caCertificate }),
    ...(credentials && { credentials }),
    ...(facts.projectID !== undefined && { projectID: facts.projectID }),
    keystone: facts.keystone === undefined ? previous?.keystone : (facts.keystone ?? undefined),
    limitPolicies,
    network: networkStatus(facts.network, previous),
    ...(networking && {
      podCIDR: networking.podCIDR,
      serviceCIDR: networking.serviceCIDR,
      cni: networking.cni,
      cniInstaller: cniInstaller(previous, networking.cni),
      kubeProxyMode: networking.kubeProxyMode,
    }),
    nodes,
    readySummary: `${nodes.ready}/${nodes.desired}`,
    ...(facts.etcdQuotaBytes !== undefined && {
      etcd: {
        quotaBytes: facts.etcdQuotaBytes,
        ...(facts.controlPlane?.etcdUsageBytes !== undefined && { usageBytes: facts.controlPlane.etcdUsageBytes }),
        ...snapshotStatus(facts.controlPlane, previous?.etcd),
      },
    }),
    maintenance: maintenanceStatusOf(cluster, facts.nowMs),
    hibernation,
    reset: resetStatusOf(reset, ready, facts.nowMs),
    lastOperation: now,
    ...(durations && { durations }),
  };
}

/**
 * Whether the control plane has just reached the state that an upgrade requires, or runs for the first time. Before the
 * first upgrade, nothing else is recorded.
 */
function isDone(
  previous: ClusterStatus | undefined,
  { now, version, controlPlane }: { now: LastOperation; version: string | undefined; controlPlane: ConditionState },
): boolean {
  if (now.type === 'Upgrade') return previous?.version !== undefined && previous.version !== version;
  if (now.type !== 'Create' || controlPlane.status !== 'True') return false;
  return previous?.durations === undefined && !isConditionTrue(previous?.conditions, ConditionType.ControlPlaneReady);
}

function controlPlaneCondition(facts: ClusterFacts): ConditionState {
  const type = ConditionType.ControlPlaneReady;
  const problem = facts.blocker ?? facts.controlPlaneProblem;
  if (problem) return conditionUnmet(type, problem);
  if (facts.isHibernated) {
    return conditionUnmet(type, { reason: ConditionReason.Hibernated, message: 'the control plane is hibernated' });
  }
  const { controlPlane } = facts;
  if (controlPlane?.ready && facts.isConnected) return conditionMet(type);
  if (controlPlane && !controlPlane.ready) return conditionUnmet(type, controlPlane);
  return conditionUnmet(type, { reason: ConditionReason.Provisioning, message: 'the control plane is starting' });
}

/** Set while the API server runs with settings other than the spec's, or denies users access. */
function settingsCondition({ controlPlane }: ClusterFacts): ConditionState | undefined {
  const type = ConditionType.SettingsApplied;
  const { settingsProblem, settingsReason, settingsInEffect } = controlPlane ?? {};
  if (settingsProblem !== undefined) {
    return conditionUnmet(type, {
      reason: settingsReason ?? ConditionReason.SettingsRejected,
      message: settingsProblem,
    });
  }
  return settingsInEffect === undefined ? undefined : { ...conditionMet(type), message: settingsInEffect };
}

function nodePoolsCondition(
  { pools }: ClusterFacts,
  nodes: NodeCounts,
  cluster: Pick<Cluster, 'status'>,
): ConditionState {
  const type = ConditionType.NodePoolsReady;
  const waiting = pools.find((pool) => !isPoolReady(pool, cluster));
  if (waiting === undefined) return conditionMet(type);
  const ready = waiting.status?.conditions?.find((condition) => condition.type === 'Ready');
  // A pool's reports about an earlier size or template are outdated.
  const isSettled = ready === undefined || ready.status === 'True';
  const detail = !isSettled && ready.message !== '' ? `: ${ready.message}` : ' has just been made or changed';
  return conditionUnmet(type, {
    reason:
      ready?.status === 'True'
        ? ConditionReason.Scaling
        : ((ready?.reason ?? ConditionReason.Provisioning) as ConditionReason),
    message: `${nodes.ready}/${nodes.desired} nodes are ready; pool ${waiting.metadata.name}${detail}`,
  });
}

/**
 * Whether the pool is Ready for its current generation, and for its target size if the cluster is hibernating or
 * waking.
 */
function isPoolReady(pool: NodePool, cluster: Pick<Cluster, 'status'>): boolean {
  const { metadata, status } = pool;
  if (status?.desiredReplicas !== undefined && status.desiredReplicas !== targetReplicas(pool, cluster)) return false;
  return isConditionTrue(status?.conditions, ConditionType.Ready) && status?.observedGeneration === metadata.generation;
}

function readyCondition(states: readonly ConditionState[], blocker: Problem | undefined): ConditionState {
  const type = ConditionType.Ready;
  if (blocker) return conditionUnmet(type, blocker);
  const failing = states.find(({ status }) => status !== 'True');
  if (failing) return { ...failing, type };
  return conditionMet(type);
}
