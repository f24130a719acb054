import { ConditionReason, ConditionType, isOutage, turnOf } from '@fairway/api/conditions';
import { effectiveNetworking } from '@fairway/api/domain/effective-networking';
import { maintenanceStatusOf } from '@fairway/api/domain/maintenance-gate';
import { sumOfReplicas } from '@fairway/api/domain/plan-limits';
import { wantedReplicas } from '@fairway/api/domain/wanted-replicas';
import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import type { CloudProfileStatus } from '@fairway/api/kinds/cloud-profile';
import type { Cluster, ClusterPhase, ClusterStatus } from '@fairway/api/kinds/cluster';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { PlanSpec } from '@fairway/api/kinds/plan';
import { endpointUrl } from '@fairway/control-plane/kubeconfig';
import type { ControlPlaneSpread, ControlPlaneState } from '@fairway/control-plane/runtime';
import {
  type ConditionState,
  findCondition,
  isConditionTrue,
  setConditions,
} from '@fairway/kube/controller/conditions';
import { conditionMet, conditionUnmet, type Problem } from '@fairway/tenancy/problem';
import { operation } from '../operation.ts';
import { type CloudAnswer, cloudCondition } from './cloud-condition.ts';
import { credentialCondition } from './credential-condition.ts';
import {
  type HibernationFacts,
  hibernatedCondition,
  hibernateOperation,
  hibernationPhase,
  hibernationStatusOf,
  wakingCondition,
} from './hibernation-status.ts';
import type { NetworkPlan } from './network-state.ts';
import { clusterPhase } from './phase.ts';
import { promiseConditions } from './promises.ts';
import { restoreOperation, snapshotStatus, snapshotsCondition } from './snapshots.ts';
import type { VersionChoice } from './version-choice.ts';
import { oldestOf, supportedCondition, upToDateCondition, versionStatus } from './version-status.ts';

/** Observations of one pass over a Cluster; those that are undefined keep their last reported state. */
export interface ClusterFacts extends HibernationFacts {
  readonly plan: PlanSpec | undefined;
  readonly releases: readonly KubernetesRelease[];
  /** Undefined: not decided in this pass. */
  readonly choice: VersionChoice | undefined;
  /** Set if the cluster cannot be reconciled at all. */
  readonly blocker: Problem | undefined;
  readonly network: NetworkPlan | undefined;
  readonly networkProblem: Problem | undefined;
  readonly projectID: string | undefined;
  /** The CloudCredential that it names, if there is one. */
  readonly credential: CloudCredential | undefined;
  /** How the cloud answered; undefined where it was not asked. */
  readonly cloud: CloudAnswer | undefined;
  readonly controlPlane: ControlPlaneState | undefined;
  readonly controlPlaneProblem: Problem | undefined;
  readonly caCertificate: string | undefined;
  readonly etcdQuotaBytes: number | undefined;
  /** Whether Fairway is connected to the tenant's API server. */
  readonly isConnected: boolean;
  readonly pools: readonly NodePool[];
  /** What its cloud offers the project, as last written down. */
  readonly cloudProfile: CloudProfileStatus | undefined;
  /** What the runtime gives each control plane. */
  readonly spread: ControlPlaneSpread;
  /** Whether this Fairway serves clusters' own autoscalers. */
  readonly servesAutoscalers?: boolean | undefined;
  readonly nowMs: number;
}

/** The status of a cluster that is not being deleted. Pure; every condition is set every time. */
export function clusterStatus(cluster: Cluster, facts: ClusterFacts): ClusterStatus {
  const previous = cluster.status;
  const generation = cluster.metadata.generation ?? 0;
  const hibernation = hibernationStatusOf(facts, facts.nowMs);
  const nodes = nodeCounts(facts.pools, { status: { hibernation } });
  const network = networkCondition(facts, previous, generation);
  const cloud = cloudCondition(facts, previous);
  const controlPlane = controlPlaneCondition(facts);
  const nodePools = nodePoolsCondition(facts, nodes, { status: { hibernation } });
  const settings = settingsCondition(facts);
  const resting = hibernatedCondition(cluster, hibernation, facts, facts.blocker ?? facts.controlPlaneProblem);
  const ready =
    resting ?? readyCondition([network, controlPlane, ...(settings ? [settings] : []), nodePools], facts.blocker);
  const states = { network, controlPlane, ready };
  const version = facts.controlPlane?.version ?? previous?.version;
  const upToDate = upToDateCondition(facts, version);
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
      [ConditionType.VersionSupported]: supportedCondition(version, nodes.oldestVersion, facts),
      [ConditionType.CredentialExpiresSoon]: credentialCondition(facts.credential),
      ...promiseConditions(cluster, facts),
      [ConditionType.WakingPossible]: wakingCondition(hibernation, facts.pools, facts.cloudProfile),
      [ConditionType.Ready]: ready,
    },
    { generation, nowMs: facts.nowMs },
  );
  const phase =
    hibernationPhase(hibernation, previous?.phase, ready) ??
    clusterPhase({ ...states, settings, nodePools }, facts.pools, previous, generation);
  const endpoint = facts.controlPlane?.endpoint ?? previous?.endpoint;
  const networking = facts.plan && effectiveNetworking(cluster, facts.plan);
  return {
    ...previous,
    observedGeneration: generation,
    phase,
    conditions: [...conditions],
    ...versionStatus(version, nodes.oldestVersion, facts),
    upToDate:
      nodes.upToDate === nodes.current &&
      nodes.current === nodes.desired &&
      isConditionTrue(conditions, ConditionType.UpToDate),
    ...(endpoint && { endpoint, url: endpointUrl(endpoint) }),
    ...(facts.caCertificate !== undefined && { caCertificate: facts.caCertificate }),
    ...(facts.projectID !== undefined && { projectID: facts.projectID }),
    ...(facts.network?.ready && { network: facts.network.resolved }),
    ...(networking && {
      podCIDR: networking.podCIDR,
      serviceCIDR: networking.serviceCIDR,
      cni: networking.cni,
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
    lastOperation: lastOperation({ ...cluster, status: { ...previous, hibernation } }, phase, states, nodes, facts),
  };
}

type NodeCounts = NonNullable<ClusterStatus['nodes']>;

function nodeCounts(pools: readonly NodePool[], cluster: Pick<Cluster, 'status'>): NodeCounts {
  const counts: NodeCounts = { desired: 0, current: 0, ready: 0, upToDate: 0 };
  for (const pool of pools) {
    const { metadata, status } = pool;
    if (metadata.deletionTimestamp === undefined) counts.desired += wantedReplicas(pool, cluster);
    counts.current += status?.replicas ?? 0;
    counts.ready += status?.readyReplicas ?? 0;
    counts.upToDate += status?.updatedReplicas ?? 0;
  }
  const oldestVersion = oldestOf(pools.flatMap(({ status }) => status?.version ?? []));
  return oldestVersion === undefined ? counts : { ...counts, oldestVersion };
}

function networkCondition(
  { blocker, network, networkProblem }: ClusterFacts,
  previous: ClusterStatus | undefined,
  generation: number,
): ConditionState {
  const type = ConditionType.NetworkReady;
  const last = findCondition(previous?.conditions, type);
  const isAsWanted = last?.status === 'True' && last.observedGeneration === generation;
  // Nothing waits for the cloud: see CloudReachable.
  if (!blocker && networkProblem && isOutage(networkProblem.reason) && isAsWanted) return last;
  const problem = blocker ?? networkProblem ?? network?.problem;
  if (problem) return conditionUnmet(type, problem);
  if (network?.ready) return conditionMet(type);
  return conditionUnmet(type, { reason: ConditionReason.Provisioning, message: 'the network is being set up' });
}

function controlPlaneCondition(facts: ClusterFacts): ConditionState {
  const type = ConditionType.ControlPlaneReady;
  const problem = facts.blocker ?? facts.controlPlaneProblem;
  if (problem) return conditionUnmet(type, problem);
  if (facts.isAtRest) {
    return conditionUnmet(type, { reason: ConditionReason.Hibernated, message: 'the control plane rests' });
  }
  const { controlPlane } = facts;
  if (controlPlane?.ready && facts.isConnected) return conditionMet(type);
  if (controlPlane && !controlPlane.ready) return conditionUnmet(type, controlPlane);
  return conditionUnmet(type, { reason: ConditionReason.Provisioning, message: 'the control plane is starting' });
}

/** Set while the API server runs with settings other than the spec's, or keeps somebody out. */
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
  const detail = ready?.message ? `: ${ready.message}` : '';
  return conditionUnmet(type, {
    reason:
      ready?.status === 'True'
        ? ConditionReason.Scaling
        : ((ready?.reason ?? ConditionReason.Provisioning) as ConditionReason),
    message: `${nodes.ready}/${nodes.desired} nodes are ready; pool ${waiting.metadata.name}${detail}`,
  });
}

/** Ready for the pool's current generation, and for the size that it is to have in a cluster that hibernates or wakes. */
function isPoolReady(pool: NodePool, cluster: Pick<Cluster, 'status'>): boolean {
  const { metadata, status } = pool;
  if (status?.desiredReplicas !== undefined && status.desiredReplicas !== wantedReplicas(pool, cluster)) return false;
  return isConditionTrue(status?.conditions, ConditionType.Ready) && status?.observedGeneration === metadata.generation;
}

function readyCondition(states: readonly ConditionState[], blocker: Problem | undefined): ConditionState {
  const type = ConditionType.Ready;
  if (blocker) return conditionUnmet(type, blocker);
  const failing = states.find(({ status }) => status !== 'True');
  if (failing) return { ...failing, type };
  return conditionMet(type);
}

interface States {
  readonly network: ConditionState;
  readonly controlPlane: ConditionState;
  readonly ready: ConditionState;
}

function lastOperation(
  { spec, status }: Cluster,
  phase: ClusterPhase,
  { network, controlPlane, ready }: States,
  nodes: NodeCounts,
  facts: ClusterFacts,
): ClusterStatus['lastOperation'] {
  const last = status?.lastOperation;
  const { controlPlane: plane, nowMs } = facts;
  const hibernating = hibernateOperation(status?.hibernation, facts, { nodes: sumOfReplicas(facts.pools), ready });
  if (hibernating) return operation(last, hibernating, nowMs);
  const restoring = restoreOperation(plane);
  if (restoring) return operation(last, restoring, nowMs);
  if (phase === 'Ready') {
    // A failed operation that is no longer requested did not succeed.
    const isDropped = last?.type === 'Restore' && spec.etcd?.restore === undefined;
    const type = isDropped ? 'Reconcile' : (last?.type ?? 'Create');
    return operation(last, { type, state: 'Succeeded', progress: 100, description: 'the cluster is ready' }, nowMs);
  }
  const isCreating = last === undefined || (last.type === 'Create' && last.state !== 'Succeeded');
  const isRestoring = last?.type === 'Restore' && last.state !== 'Succeeded';
  const isWaking = phase === 'Waking' || (last?.type === 'Wake' && last.state !== 'Succeeded');
  const type = isWaking ? 'Wake' : isCreating ? 'Create' : isRestoring ? 'Restore' : 'Reconcile';
  const share = nodes.desired === 0 ? 1 : Math.min(nodes.ready / nodes.desired, 1);
  const base = [network, controlPlane].filter(({ status }) => status === 'True').length * 25;
  const progress = base + Math.floor(share * 45);
  const isWaiting = ready.reason === ConditionReason.ProgramsMissing && phase === 'Pending';
  const isOwn = turnOf(ready.reason as ConditionReason) === 'fairway';
  const state = isWaiting ? 'Pending' : isOwn ? 'Processing' : 'Error';
  return operation(last, { type, state, progress, description: ready.message }, nowMs);
}
