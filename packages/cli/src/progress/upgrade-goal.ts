import { actionRequiredBy, ConditionReason } from '@fairway/api/conditions';
import { pluralize } from '@fairway/api/domain/pluralize';
import { isMinor } from '@fairway/api/domain/version-numbers';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { localTime } from '../output/local-time.ts';
import type { ClusterView } from './cluster-view.ts';
import { clusterReady, type Goal } from './goal.ts';
import { type Outcome, RUNNING, type Step } from './step.ts';

/** The control plane and all nodes run `wanted`, a minor version or an exact one, and the cluster is ready. */
export function clusterUpgraded(name: string, requestedVersion: string): Goal {
  const ready = clusterReady(name, []);
  return {
    subject: `cluster "${name}"`,
    steps: (view) => [controlPlaneStep(view.cluster, requestedVersion), nodesStep(view, requestedVersion)],
    outcome: (view) => {
      const { cluster, machines, pools } = view;
      const outcome = ready.outcome(view);
      if (cluster === undefined || outcome.state === 'failed') return outcome;
      const isReached =
        runsVersion(cluster.status?.version, requestedVersion) &&
        machines.every((machine) => isUpgraded(machine, requestedVersion));
      if (isReached) return outcome;
      return blockedOutcome(cluster, pools) ?? (outcome.state === 'done' ? RUNNING : outcome);
    },
  };
}

function controlPlaneStep(cluster: Cluster | undefined, requestedVersion: string): Step {
  const key = 'control-plane';
  const title = 'control plane';
  const { version } = cluster?.status ?? {};
  const isReady = conditionOf(cluster, 'ControlPlaneReady')?.status === 'True';
  if (runsVersion(version, requestedVersion) && isReady) return { key, title, state: 'done', detail: version ?? '' };
  const why = conditionOf(cluster, 'UpToDate');
  const detail = why?.status === 'False' ? why.message : (conditionOf(cluster, 'ControlPlaneReady')?.message ?? '');
  return { key, title, state: 'running', detail };
}

function nodesStep({ cluster, machines, pools }: ClusterView, requestedVersion: string): Step {
  const key = 'nodes';
  const title = 'nodes';
  const done = machines.filter((machine) => isUpgraded(machine, requestedVersion)).length;
  const share = `${done}/${pluralize(machines.length, 'node')}`;
  if (done === machines.length && runsVersion(cluster?.status?.version, requestedVersion)) {
    return { key, title, state: 'done', detail: share };
  }
  if (!runsVersion(cluster?.status?.version, requestedVersion)) return { key, title, state: 'waiting', detail: '' };
  const progress = { done, total: machines.length };
  const detail = [share, ...currentNodeDetail(machines, requestedVersion), ...waits(pools), ...end(cluster)].join('; ');
  return { key, title, state: 'running', detail, progress };
}

/** The node being upgraded, and its progress. */
function currentNodeDetail(machines: readonly Machine[], requestedVersion: string): string[] {
  const machine = machines.find(
    (each) =>
      !isUpgraded(each, requestedVersion) &&
      (each.status?.phase !== 'Ready' || each.status.marks?.renewal?.due === true),
  );
  return machine === undefined ? [] : [`${machine.metadata.name}: ${machine.status?.phase ?? 'Pending'}`];
}

function waits(pools: readonly NodePool[]): string[] {
  return pools
    .flatMap(({ metadata, status }) => {
      const { message, since } = status?.upgrade ?? {};
      return message === undefined
        ? []
        : [`pool ${metadata.name}: ${message}${since ? `, since ${localTime(since)}` : ''}`];
    })
    .slice(0, 1);
}

function end(cluster: Cluster | undefined): string[] {
  const { estimatedEndTime } = cluster?.status?.lastOperation ?? {};
  return estimatedEndTime === undefined ? [] : [`done about ${localTime(estimatedEndTime)}`];
}

/** Waits for what resolves itself, including the window; reports whatever a user or operator must decide. */
function blockedOutcome(cluster: Cluster, pools: readonly NodePool[]): Outcome | undefined {
  const isCurrent = (cluster.status?.observedGeneration ?? 0) >= (cluster.metadata.generation ?? 0);
  const upToDate = isCurrent ? conditionOf(cluster, 'UpToDate') : undefined;
  if (upToDate?.status === 'False' && isWaitingForOthers(upToDate.reason) && !isDraining(upToDate.reason)) {
    return { state: 'blocked', reason: upToDate.reason, message: upToDate.message };
  }
  for (const { metadata, status } of pools) {
    const { reason, message = '', state } = status?.upgrade ?? {};
    if (reason === undefined || state === 'Complete' || !isWaitingForOthers(reason)) continue;
    if (isDraining(reason)) continue;
    return { state: 'blocked', reason, message: `pool ${metadata.name}: ${message}` };
  }
  return undefined;
}

/** A drain blocked by pods ends at its timeout. */
function isDraining(reason: string): boolean {
  return reason === ConditionReason.PodDisruptionBudget;
}

function isWaitingForOthers(reason: string): boolean {
  // A newer server may have reasons that this client does not recognise.
  const turn: string | undefined = actionRequiredBy(reason as ConditionReason);
  return turn === 'user' || turn === 'operator';
}

/** Whether the node itself has come back with the version; it is not enough that its target is set. */
export function isUpgraded({ spec, status }: Machine, requestedVersion: string): boolean {
  return (
    runsVersion(spec.version, requestedVersion) &&
    runsVersion(status?.version, requestedVersion) &&
    status?.phase === 'Ready'
  );
}

/** A node that has not reported a version yet still runs an old one. */
function runsVersion(version: string | undefined, requestedVersion: string): boolean {
  if (version === undefined) return false;
  // A kubelet may report something that is not a version; it is never parsed here.
  return version === requestedVersion || (isMinor(requestedVersion) && version.startsWith(`${requestedVersion}.`));
}

function conditionOf(cluster: Cluster | undefined, type: string) {
  return cluster?.status?.conditions?.find((condition) => condition.type === type);
}
