import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import type { HealingSettings } from '@fairway/api/domain/healing-settings';
import type { Machine } from '@fairway/api/kinds/machine';
import { findCondition } from '@fairway/kube/controller/conditions';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import { isNodeReady, isUninitialized, nodeReadyCondition } from '@fairway/tenancy/connection/node';
import { isBeingReinstalled } from '../node-pool/availability.ts';

/** How long a server is in ERROR, and its node away, before it is repaired: an operator may reset its state. */
export const SERVER_ERROR_MS = 5 * 60_000;
/** How long a server may be shut off, paused or shelved: somebody did that, and may have a reason. */
export const SERVER_STOPPED_MS = 30 * 60_000;

/** What is wrong with a machine. */
export interface Ailment {
  readonly reason: ConditionReason;
  /** The same as long as the ailment is. */
  readonly message: string;
  /** Since when, as far as this process can tell. */
  readonly sinceMs: number;
  /** From when on it is to be repaired; infinite while nothing can be said of its node. */
  readonly dueMs: number;
  /** Whether the cloud has confirmed that the server is no more. */
  readonly isGone: boolean;
}

/** What a machine is judged by. */
export interface Symptoms {
  /** Its node in the tenant's cluster. */
  readonly node: TenantNode | undefined;
  /** Whether another node of the cluster is ready. */
  readonly hasReadyPeer: boolean;
  readonly settings: Pick<HealingSettings, 'notReadyMs' | 'reinstallMs'>;
  readonly nowMs: number;
  /** Since when this process has seen the cluster's nodes without a gap; undefined while it does not. */
  readonly trustedSinceMs: number | undefined;
}

/** What is wrong with the machine; undefined if it works, is leaving, is still starting, or is being renewed. Pure. */
export function ailmentOf(machine: Machine, symptoms: Symptoms): Ailment | undefined {
  const { metadata, status } = machine;
  if (metadata.deletionTimestamp !== undefined || status === undefined) return undefined;
  const gone = lossOf(machine);
  if (gone) return gone;
  if (status.phase === 'Ready') return undefined;
  if (status.startup?.timedOutTime !== undefined) return lateStart(machine, status.startup.timedOutTime);
  if (status.reinstall?.acceptedTime !== undefined && status.serverStatus === 'ERROR') {
    return failedReinstallation(machine, status.reinstall.acceptedTime);
  }
  if (isBeingReinstalled(machine)) return endlessReinstallation(machine, symptoms);
  if (status.marks?.renewal?.due) return undefined;
  if (status.readyTime === undefined) return neverReady(machine, symptoms);
  return notReadyAnyMore(machine, status.notReadyTime, symptoms);
}

function lossOf({ status }: Machine): Ailment | undefined {
  const condition = findCondition(status?.conditions, ConditionType.ServerReady);
  if (condition?.reason !== ConditionReason.ServerVanished || condition.status !== 'False') return undefined;
  const sinceMs = Date.parse(condition.lastTransitionTime);
  const { message } = condition;
  return { reason: ConditionReason.ServerVanished, message, sinceMs, dueMs: sinceMs, isGone: true };
}

/** Undefined as long as it may come to an end by itself, and while the cloud does not accept it: that is told, and no fault of the server. */
function endlessReinstallation({ status }: Machine, { settings, nowMs }: Symptoms): Ailment | undefined {
  const { acceptedTime } = status?.reinstall ?? {};
  if (acceptedTime === undefined) return undefined;
  const sinceMs = Date.parse(acceptedTime);
  const dueMs = sinceMs + settings.reinstallMs;
  if (nowMs < dueMs) return undefined;
  const message = `the server is being reinstalled since ${acceptedTime}, and has not become a node again`;
  return { reason: ConditionReason.NodeNotReady, message, sinceMs, dueMs, isGone: false };
}

function lateStart({ status }: Machine, timedOutTime: string): Ailment {
  const sinceMs = Date.parse(timedOutTime);
  const said = findCondition(status?.conditions, ConditionType.NodeReady)?.message;
  const message = said ?? 'the server has not joined the cluster as a node in time';
  return { reason: ConditionReason.NodeStartupTimeout, message, sinceMs, dueMs: sinceMs, isGone: false };
}

function failedReinstallation({ status }: Machine, acceptedTime: string): Ailment {
  const sinceMs = Date.parse(acceptedTime);
  const said = findCondition(status?.conditions, ConditionType.Installed)?.message;
  const message = said ?? 'the server failed when it was reinstalled';
  return { reason: ConditionReason.ServerFailed, message, sinceMs, dueMs: sinceMs + SERVER_ERROR_MS, isGone: false };
}

/** A node that joined and was never ready is broken only where others show that nodes can be: else the cluster lacks something, such as a pod network. */
function neverReady({ status }: Machine, symptoms: Symptoms): Ailment | undefined {
  const { node, hasReadyPeer } = symptoms;
  if (node === undefined || isNodeReady(node) || isHeldByCloudProvider(node) || !hasReadyPeer) return undefined;
  const { message = 'the node has not become ready' } =
    findCondition(status?.conditions, ConditionType.NodeReady) ?? {};
  return sinceTrusted(node.metadata.creationTimestamp, symptoms.settings.notReadyMs, symptoms, {
    reason: ConditionReason.NodeNotReady,
    message,
  });
}

function notReadyAnyMore(
  { status }: Machine,
  notReadyTime: string | undefined,
  symptoms: Symptoms,
): Ailment | undefined {
  const { node, settings } = symptoms;
  const { serverStatus } = status ?? {};
  const told = (type: ConditionType) => findCondition(status?.conditions, type)?.message ?? '';
  if (serverStatus === 'ERROR') {
    // Its guest works: only what Nova says of it is wrong.
    if (node && isNodeReady(node)) return undefined;
    const words = { reason: ConditionReason.ServerFailed, message: told(ConditionType.ServerReady) };
    return sinceTrusted(notReadyTime, SERVER_ERROR_MS, symptoms, words);
  }
  if (serverStatus !== undefined && serverStatus !== 'ACTIVE') {
    const words = { reason: ConditionReason.ServerStopped, message: told(ConditionType.ServerReady) };
    return sinceTrusted(notReadyTime, SERVER_STOPPED_MS, symptoms, words);
  }
  if (node && isHeldByCloudProvider(node)) return undefined;
  const missing = 'the node is not in the cluster any more: somebody deleted it there, and its server still runs';
  const message = node === undefined ? missing : told(ConditionType.NodeReady);
  return sinceTrusted(notReadyTime, settings.notReadyMs, symptoms, { reason: ConditionReason.NodeNotReady, message });
}

/** Its kubelet is well: Fairway's own cloud provider has not initialised it. */
function isHeldByCloudProvider(node: TenantNode): boolean {
  return nodeReadyCondition(node)?.status === 'True' && isUninitialized(node);
}

function sinceTrusted(
  time: string | undefined,
  limitMs: number,
  { trustedSinceMs }: Symptoms,
  words: Pick<Ailment, 'reason' | 'message'>,
): Ailment {
  const toldMs = time === undefined ? Number.NEGATIVE_INFINITY : Date.parse(time);
  const sinceMs = Math.max(toldMs, trustedSinceMs ?? Number.POSITIVE_INFINITY);
  return { ...words, sinceMs, dueMs: sinceMs + limitMs, isGone: false };
}
