import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import type { HealingSettings } from '@fairway/api/domain/healing-settings';
import type { Machine } from '@fairway/api/kinds/machine';
import { findCondition } from '@fairway/kube/controller/conditions';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import { isNodeReady, isUninitialized, nodeReadyCondition } from '@fairway/tenancy/connection/node';
import { isBeingReinstalled } from '../node-pool/availability.ts';

/** How long a server is in ERROR and its node not ready before it is repaired: an operator may reset its state. */
export const SERVER_ERROR_MS = 5 * 60_000;
/** How long a server may be shut off, paused or shelved: someone did that, and may have a reason. */
export const SERVER_STOPPED_MS = 30 * 60_000;

/** What is wrong with a machine. */
export interface UnhealthyReason {
  readonly reason: ConditionReason;
  /** Does not change as long as the cause is the same. */
  readonly message: string;
  /** Since when, as far as this process knows. */
  readonly sinceMs: number;
  /** When its repair becomes due; infinite while the state of its node is unknown. */
  readonly dueMs: number;
  /** Whether the cloud has confirmed that the server no longer exists. */
  readonly isGone: boolean;
}

/** The facts that decide whether a machine is unhealthy. */
export interface Observation {
  /** Its node in the tenant's cluster. */
  readonly node: TenantNode | undefined;
  /** Whether another node of the cluster is ready. */
  readonly hasReadyPeer: boolean;
  readonly settings: Pick<HealingSettings, 'notReadyMs' | 'reinstallMs'>;
  readonly nowMs: number;
  /** Since when this process has observed the cluster's nodes without a gap; undefined while it does not. */
  readonly trustedSinceMs: number | undefined;
}

/** Why the machine is unhealthy; undefined if it works, is being deleted, is still starting, or is being updated. Pure. */
export function unhealthyReason(machine: Machine, observation: Observation): UnhealthyReason | undefined {
  const { metadata, status } = machine;
  if (metadata.deletionTimestamp !== undefined || status === undefined) return undefined;
  const gone = lossOf(machine);
  if (gone) return gone;
  if (status.phase === 'Ready') return undefined;
  if (status.startup?.timedOutTime !== undefined) return lateStart(machine, status.startup.timedOutTime);
  if (status.reinstall?.acceptedTime !== undefined && status.serverStatus === 'ERROR') {
    return failedReinstallation(machine, status.reinstall.acceptedTime);
  }
  if (isBeingReinstalled(machine)) return endlessReinstallation(machine, observation);
  if (status.marks?.renewal?.due) return undefined;
  if (status.readyTime === undefined) return neverReady(machine, observation);
  return notReadyAnyMore(machine, status.notReadyTime, observation);
}

function lossOf({ status }: Machine): UnhealthyReason | undefined {
  const condition = findCondition(status?.conditions, ConditionType.ServerReady);
  if (condition?.reason !== ConditionReason.ServerVanished || condition.status !== 'False') return undefined;
  const sinceMs = Date.parse(condition.lastTransitionTime);
  const { message } = condition;
  return { reason: ConditionReason.ServerVanished, message, sinceMs, dueMs: sinceMs, isGone: true };
}

/** Undefined while it may still finish by itself, and while the cloud does not accept it: that is reported, and not the server's fault. */
function endlessReinstallation({ status }: Machine, { settings, nowMs }: Observation): UnhealthyReason | undefined {
  const { acceptedTime } = status?.reinstall ?? {};
  if (acceptedTime === undefined) return undefined;
  const sinceMs = Date.parse(acceptedTime);
  const dueMs = sinceMs + settings.reinstallMs;
  if (nowMs < dueMs) return undefined;
  const message = `the server has been reinstalling since ${acceptedTime} and has not rejoined as a node`;
  return { reason: ConditionReason.NodeNotReady, message, sinceMs, dueMs, isGone: false };
}

function lateStart({ status }: Machine, timedOutTime: string): UnhealthyReason {
  const sinceMs = Date.parse(timedOutTime);
  const said = findCondition(status?.conditions, ConditionType.NodeReady)?.message;
  const message = said ?? 'the server has not joined the cluster as a node in time';
  return { reason: ConditionReason.NodeStartupTimeout, message, sinceMs, dueMs: sinceMs, isGone: false };
}

function failedReinstallation({ status }: Machine, acceptedTime: string): UnhealthyReason {
  const sinceMs = Date.parse(acceptedTime);
  const said = findCondition(status?.conditions, ConditionType.Installed)?.message;
  const message = said ?? 'the server failed during reinstallation';
  return { reason: ConditionReason.ServerFailed, message, sinceMs, dueMs: sinceMs + SERVER_ERROR_MS, isGone: false };
}

/** A node that joined but was never ready counts as unhealthy only if other nodes are ready: otherwise the cluster lacks something, such as a pod network. */
function neverReady({ status }: Machine, observation: Observation): UnhealthyReason | undefined {
  const { node, hasReadyPeer } = observation;
  if (node === undefined || isNodeReady(node) || isHeldByCloudProvider(node) || !hasReadyPeer) return undefined;
  const { message = 'the node has not become ready' } =
    findCondition(status?.conditions, ConditionType.NodeReady) ?? {};
  return sinceTrusted(node.metadata.creationTimestamp, observation.settings.notReadyMs, observation, {
    reason: ConditionReason.NodeNotReady,
    message,
  });
}

function notReadyAnyMore(
  { status }: Machine,
  notReadyTime: string | undefined,
  observation: Observation,
): UnhealthyReason | undefined {
  const { node, settings } = observation;
  const { serverStatus } = status ?? {};
  const told = (type: ConditionType) => findCondition(status?.conditions, type)?.message ?? '';
  if (serverStatus === 'ERROR') {
    // Its guest works; only Nova's state is wrong.
    if (node && isNodeReady(node)) return undefined;
    const words = { reason: ConditionReason.ServerFailed, message: told(ConditionType.ServerReady) };
    return sinceTrusted(notReadyTime, SERVER_ERROR_MS, observation, words);
  }
  if (serverStatus !== undefined && serverStatus !== 'ACTIVE') {
    const words = { reason: ConditionReason.ServerStopped, message: told(ConditionType.ServerReady) };
    return sinceTrusted(notReadyTime, SERVER_STOPPED_MS, observation, words);
  }
  if (node && isHeldByCloudProvider(node)) return undefined;
  const missing = 'the node is no longer in the cluster: it was deleted there, but its server is still running';
  const message = node === undefined ? missing : told(ConditionType.NodeReady);
  return sinceTrusted(notReadyTime, settings.notReadyMs, observation, {
    reason: ConditionReason.NodeNotReady,
    message,
  });
}

/** Its kubelet is healthy: Fairway's cloud provider has not initialised it. */
function isHeldByCloudProvider(node: TenantNode): boolean {
  return nodeReadyCondition(node)?.status === 'True' && isUninitialized(node);
}

function sinceTrusted(
  time: string | undefined,
  limitMs: number,
  { trustedSinceMs }: Observation,
  words: Pick<UnhealthyReason, 'reason' | 'message'>,
): UnhealthyReason {
  const toldMs = time === undefined ? Number.NEGATIVE_INFINITY : Date.parse(time);
  const sinceMs = Math.max(toldMs, trustedSinceMs ?? Number.POSITIVE_INFINITY);
  return { ...words, sinceMs, dueMs: sinceMs + limitMs, isGone: false };
}
