import { ConditionReason, ConditionType, isOutage } from '@fairway/api/conditions';
import type { ClusterStatus } from '@fairway/api/kinds/cluster';
import { type ConditionState, findCondition } from '@fairway/kube/controller/conditions';
import { conditionMet, conditionUnmet, type Problem } from '@fairway/tenancy/problem';
import type { NetworkPlan } from './network-state.ts';

/** What a pass observes of a network. */
interface NetworkFacts {
  readonly blocker: Problem | undefined;
  readonly network: NetworkPlan | undefined;
  readonly networkProblem: Problem | undefined;
}

export function networkCondition(
  { blocker, network, networkProblem }: NetworkFacts,
  previous: ClusterStatus | undefined,
  generation: number,
): ConditionState {
  const type = ConditionType.NetworkReady;
  const last = findCondition(previous?.conditions, type);
  const isUpToDate = last?.status === 'True' && last.observedGeneration === generation;
  // No part of the cluster is waiting for the cloud: see CloudReachable.
  if (!blocker && networkProblem && isOutage(networkProblem.reason) && isUpToDate) return last;
  const problem = blocker ?? networkProblem ?? network?.problem;
  if (problem) return conditionUnmet(type, problem);
  if (network?.ready) return conditionMet(type);
  const reason = network?.nodesCanStart ? ConditionReason.AttachingRouter : ConditionReason.Provisioning;
  const message = network?.nodesCanStart ? 'the router is being attached' : 'the network is being created';
  return conditionUnmet(type, { reason, message });
}

/**
 * For a new cluster's network, the parts that servers need are reported before the router is attached; external access
 * is not reported yet.
 */
export function networkStatus(
  network: NetworkPlan | undefined,
  previous: ClusterStatus | undefined,
): ClusterStatus['network'] {
  if (network?.ready) return network.resolved;
  if (previous?.network || !network?.nodesCanStart) return previous?.network;
  const { routerID: _, externalNetworkID: __, egressAddress: ___, ...ownNetwork } = network.resolved;
  return ownNetwork;
}

/**
 * Whether servers can be created in a cluster's network: at most the router's attachment may be missing, because
 * servers need it only once they have booted.
 */
export function canNodesStart(status: ClusterStatus | undefined): boolean {
  const condition = findCondition(status?.conditions, ConditionType.NetworkReady);
  return condition?.status === 'True' || condition?.reason === ConditionReason.AttachingRouter;
}
