import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import type { HealingSettings } from '@fairway/api/domain/healing-settings';
import type { Machine } from '@fairway/api/kinds/machine';
import { findCondition } from '@fairway/kube/controller/conditions';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import { isNodeReady, isUninitialized, nodeReadyCondition } from '@fairway/tenancy/connection/node';
import { isBeingReinstalled } from '../node-pool/availability.ts';

/** How long a server may be in ERROR with its node not ready before it is repaired: an operator may reset its state. */
export const SERVER_ERROR_GRACE_MS = 5 * 60_000;
/** How long a server may be shut off, paused or shelved: someone did this, possibly for a reason. */
export const SERVER_STOPPED_GRACE_MS = 30 * 60_000;

/** What is wrong with a machine. */
export interface UnhealthyReason {
  readonly reason: ConditionReason;
  /** Stays the same as long as the cause does. */
  readonly message: string;
  /** When the reason began to apply, as observed by this process. */
  readonly sinceMs: number;
  /** When the machine's repair becomes due; infinite while its node's state is unknown. */
  readonly dueMs: number;
  /** Whether the cloud has confirmed that the server no longer exists. */
  readonly isServerMissing: boolean;
}

/** The facts that decide whether a machine is unhealthy. */
export interface Observation {
  /** The machine's node in the tenant's cluster. */
  readonly node: TenantNode | undefined;
  /** Whether another node in the cluster is ready. */
  readonly hasReadyPeer: boolean;
  readonly settings: Pick<HealingSettings, 'notReadyMs' | 'reinstallMs'>;
  readonly nowMs: number;
  /** When this process began to observe the cluster's nodes without a gap; undefined while it cannot observe them. */
  readonly trustedSinceMs: number | undefined;
}

/** Why the machine is unhealthy; undefined if it works, is being deleted, is still starting, or is being updated. Pure. */
export function unhealthyReason(machine: Machine, observation: Observation): UnhealthyReason | undefined {
  const { metadata, status } = machine;
  if (metadata.deletionTimestamp !== undefined || status === undefined) return undefined;
  const missingServer = lostServerReason(machine);
  if (missingServer) return missingServer;
  if (status.phase === 'Ready') return undefined;
  if (status.startup?.timedOutTime !== undefined) return startupTimeoutReason(machine, status.startup.timedOutTime);
  if (status.reinstall?.acceptedTime !== undefined && status.serverStatus === 'ERROR') {
    return failedReinstallReason(machine, status.reinstall.acceptedTime);
  }
  if (isBeingReinstalled(machine)) return reinstallTimeoutReason(machine, observation);
  if (status.marks?.renewal?.due) return undefined;
  if (status.readyTime === undefined) return neverReadyReason(machine, observation);
  return notReadyReason(machine, status.notReadyTime, observation);
}

function lostServerReason({ status }: Machine): UnhealthyReason | undefined {
  const condition = findCondition(status?.conditions, ConditionType.ServerReady);
  if (condition?.reason !== ConditionReason.ServerVanished || condition.status !== 'False') return undefined;
  const sinceMs = Date.parse(condition.lastTransitionTime);
  const { message } = condition;
  return { reason: ConditionReason.ServerVanished, message, sinceMs, dueMs: sinceMs, isServerMissing: true };
}

/**
 * Undefined while the reinstallation may still finish, and while the cloud does not accept the request, which is
 * reported separately and is not the server's fault.
 */
function reinstallTimeoutReason({ status }: Machine, { settings, nowMs }: Observation): UnhealthyReason | undefined {
  const { acceptedTime } = status?.reinstall ?? {};
  if (acceptedTime === undefined) return undefined;
  const sinceMs = Date.parse(acceptedTime);
  const dueMs = sinceMs + settings.reinstallMs;
  if (nowMs < dueMs) return undefined;
  const message = `the server has been reinstalling since ${acceptedTime} and has not rejoined as a node`;
  return { reason: ConditionReason.NodeNotReady, message, sinceMs, dueMs, isServerMissing: false };
}

function startupTimeoutReason({ status }: Machine, timedOutTime: string): UnhealthyReason {
  const sinceMs = Date.parse(timedOutTime);
  const reported = findCondition(status?.conditions, ConditionType.NodeReady)?.message;
  const message = reported ?? 'the server has not joined the cluster as a node in time';
  return { reason: ConditionReason.NodeStartupTimeout, message, sinceMs, dueMs: sinceMs, isServerMissing: false };
}

function failedReinstallReason({ status }: Machine, acceptedTime: string): UnhealthyReason {
  const sinceMs = Date.parse(acceptedTime);
  const reported = findCondition(status?.conditions, ConditionType.Installed)?.message;
  const message = reported ?? 'the server failed during reinstallation';
  return {
    reason: ConditionReason.ServerFailed,
    message,
    sinceMs,
    dueMs: sinceMs + SERVER_ERROR_GRACE_MS,
    isServerMissing: false,
  };
}

/** A node that joined but was never ready counts as unhealthy only if other nodes are ready: otherwise the cluster lacks something, such as a pod network. */
function neverReadyReason({ status }: Machine, observation: Observation): UnhealthyReason | undefined {
  const { node, hasReadyPeer } = observation;
  if (node === undefined || isNodeReady(node) || isHeldByCloudProvider(node) || !hasReadyPeer) return undefined;
  const { message = 'the node has not become ready' } =
    findCondition(status?.conditions, ConditionType.NodeReady) ?? {};
  return trustedSince(node.metadata.creationTimestamp, observation.settings.notReadyMs, observation, {
    reason: ConditionReason.NodeNotReady,
    message,
  });
}

function notReadyReason(
  { status }: Machine,
  notReadyTime: string | undefined,
  observation: Observation,
): UnhealthyReason | undefined {
  const { node, settings } = observation;
  const { serverStatus } = status ?? {};
  const messageOf = (type: ConditionType) => findCondition(status?.conditions, type)?.message ?? '';
  if (serverStatus === 'ERROR') {
    // The server's guest OS works; only Nova's state is wrong.
    if (node && isNodeReady(node)) return undefined;
    const words = { reason: ConditionReason.ServerFailed, message: messageOf(ConditionType.ServerReady) };
    return trustedSince(notReadyTime, SERVER_ERROR_GRACE_MS, observation, words);
  }
  if (serverStatus !== undefined && serverStatus !== 'ACTIVE') {
    const words = { reason: ConditionReason.ServerStopped, message: messageOf(ConditionType.ServerReady) };
    return trustedSince(notReadyTime, SERVER_STOPPED_GRACE_MS, observation, words);
  }
  if (node && isHeldByCloudProvider(node)) return undefined;
  const missing = 'the node is no longer in the cluster: it was deleted there, but its server is still running';
  const message = node === undefined ? missing : messageOf(ConditionType.NodeReady);
  return trustedSince(notReadyTime, settings.notReadyMs, observation, {
    reason: ConditionReason.NodeNotReady,
    message,
  });
}

/** Whether the kubelet is healthy, but Fairway's cloud provider has not initialised the node. */
function isHeldByCloudProvider(node: TenantNode): boolean {
  return nodeReadyCondition(node)?.status === 'True' && isUninitialized(node);
}

function trustedSince(
  time: string | undefined,
  limitMs: number,
  { trustedSinceMs }: Observation,
  words: Pick<UnhealthyReason, 'reason' | 'message'>,
): UnhealthyReason {
  const reportedMs = time === undefined ? Number.NEGATIVE_INFINITY : Date.parse(time);
  const sinceMs = Math.max(reportedMs, trustedSinceMs ?? Number.POSITIVE_INFINITY);
  return { ...words, sinceMs, dueMs: sinceMs + limitMs, isServerMissing: false };
}
