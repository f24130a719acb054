import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import type { HealingSettings } from '@fairway/api/domain/healing-settings';
import type { Machine, MachinePhase, MachineStatus } from '@fairway/api/kinds/machine';
import type { MachineReinstall } from '@fairway/api/kinds/machine-installation';
import { formatTime } from '@fairway/base/clock';
import {
  type ConditionState,
  findCondition,
  isConditionTrue,
  setCondition,
  setConditions,
} from '@fairway/kube/controller/conditions';
import type { Condition } from '@fairway/kube/object/meta';
import type { Server } from '@fairway/openstack/types/server';
import { isStopped } from '@fairway/tenancy/cloud/servers';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import { claimsOtherServer, isNodeReady } from '@fairway/tenancy/connection/node';
import { type AddressRules, machineAddresses } from '@fairway/tenancy/machine-addresses';
import { conditionMet, conditionUnmet, type Problem } from '@fairway/tenancy/problem';
import { datedConditions, type Wait } from '../waits.ts';
import { healthCondition } from './health-condition.ts';
import { inspectionCondition } from './inspection.ts';
import { installationOperation, lastOperation, NO_NODE } from './last-operation.ts';
import type { Installation } from './reinstall.ts';
import { hasBootedSince, hasTakenEffect } from './reinstall-plan.ts';
import { rootVolumeOf } from './root-volume.ts';
import { nextStartupStatus, type StartupFacts, startupProblem } from './startup.ts';
import { describeUnready } from './unready-node.ts';

/** Observations about a machine. */
export interface MachineFacts {
  /** Whether `server` is current; otherwise the last reported state is retained. */
  readonly isServerKnown: boolean;
  /** Whether the cloud, queried for the server itself, has confirmed that it no longer exists. */
  readonly isServerGone?: boolean;
  /** The server as listed; only its ID while it is too recent to be listed. */
  readonly server: Server | { readonly id: string } | undefined;
  /** Whether `node` is current; otherwise the last reported state is retained. */
  readonly isNodeKnown: boolean;
  readonly node: TenantNode | undefined;
  readonly problem: Problem | undefined;
  /** Why the machine lacks its floating IP. */
  readonly addressFailure?: Problem | undefined;
  /** Which of the server's addresses belong to the node. */
  readonly addressRules?: AddressRules;
  /** The progress of the installation; undefined retains the last known state. */
  readonly installation?: (Installation & { readonly hasFailed?: boolean }) | undefined;
  /** The facts about the startup; undefined retains the last result. */
  readonly startup?: StartupFacts | undefined;
  /** URL of the cluster's API server, for advice in messages. */
  readonly url?: string | undefined;
  /** The healing settings of its pool. */
  readonly healing?: HealingSettings | undefined;
  readonly nowMs: number;
}

/** The status of a machine that is not being deleted. Pure; every condition is set every time. */
export function machineStatus(machine: Machine, facts: MachineFacts): MachineStatus {
  const { node, nowMs, isServerKnown, isNodeKnown } = facts;
  const previous = machine.status;
  const server = facts.server && 'status' in facts.server ? facts.server : undefined;
  const serverID = facts.server?.id ?? (isServerKnown && !facts.isServerGone ? undefined : previous?.serverID);
  const serverStatus = server?.status ?? (isServerKnown ? undefined : previous?.serverStatus);
  // Nova reports it once the server has a host.
  const zone = serverID === undefined ? undefined : server?.['OS-EXT-AZ:availability_zone'] || previous?.zone;
  const rootVolumeID = rootVolumeOf(machine, facts.server);
  const { installed, reinstall, waiting } = installationOf(previous, facts, serverID);
  const isNodeUp = isNodeKnown
    ? node !== undefined &&
      isNodeReady(node) &&
      !belongsToOtherServer(node, serverID) &&
      !isFromPreviousInstallation(node, reinstall)
    : isConditionTrue(previous?.conditions, ConditionType.NodeReady);
  const isRunning = serverStatus === 'ACTIVE' && isNodeUp;
  // Problems that do not affect a working node prevent a machine from becoming Ready, but not from staying Ready.
  const isReady =
    isRunning && reinstall === undefined && (facts.problem === undefined || previous?.readyTime !== undefined);
  const phase = phaseOf(serverID, isReady, previous?.readyTime !== undefined, reinstall);
  const addresses =
    server && server.status !== 'BUILD' ? machineAddresses(server, facts.addressRules) : previous?.addresses;
  // The state of a server before it is reinstalled does not indicate its state afterwards.
  const isNext = reinstall?.requestedTime !== undefined;
  const isUp = reinstall === undefined ? isReady : isRunning && !isNext;
  const lastStartup = hasTakenEffect(installed, reinstall) ? previous?.startup : undefined;
  const startup = facts.startup ? nextStartupStatus(machine, facts.startup, nowMs) : lastStartup;
  const late = facts.startup && startupProblem(startup, facts.startup.timeoutMs, facts.url);
  const generation = machine.metadata.generation ?? 0;
  let conditions = previous?.conditions ?? [];
  for (const condition of machineConditions({ ...facts, late, reinstall, waiting }, server, isReady, previous)) {
    conditions = [...setCondition(conditions, { ...condition, observedGeneration: generation }, nowMs)];
  }
  const ready = readyTimes(isNext ? undefined : previous, isUp, startup?.timedOutTime, nowMs);
  const seen = {
    ...machine,
    status: { ...previous, phase, conditions, ...ready, ...(serverStatus !== undefined && { serverStatus }) },
  };
  const otherFacts = {
    [ConditionType.HealthCheckSucceeded]: healthCondition(seen, facts),
    [ConditionType.KeptForInspection]: inspectionCondition(machine, nowMs),
    [ConditionType.FloatingIPReady]:
      facts.addressFailure && conditionUnmet(ConditionType.FloatingIPReady, facts.addressFailure),
    [ConditionType.Installed]: waiting && conditionUnmet(ConditionType.Installed, waiting),
  };
  conditions = [...setConditions(conditions, otherFacts, { generation, nowMs })];
  const operation = reinstall
    ? installationOperation(previous, facts, late ?? waiting, nowMs)
    : lastOperation(previous, phase, { ...facts, problem: facts.problem ?? late }, server, nowMs);
  const address = addresses?.find(({ type }) => type === 'InternalIP')?.address;
  return {
    observedGeneration: generation,
    phase,
    conditions: [...datedConditions(conditions, nodeWaitOf(operation, conditions, ready.notReadyTime))],
    ...(serverID !== undefined && { serverID }),
    ...(rootVolumeID !== undefined && { rootVolumeID }),
    ...(serverStatus !== undefined && { serverStatus }),
    ...(zone && { zone }),
    ...(addresses && { addresses }),
    ...(address !== undefined && { address }),
    ...nodeFacts(previous, facts),
    ...(installed && { installed }),
    ...(reinstall && { reinstall }),
    ...ready,
    ...(startup && !isReady && { startup }),
    // Other controllers' conditions.
    ...(previous?.appliedTemplate && { appliedTemplate: previous.appliedTemplate }),
    ...(previous?.appliedServerLabels && { appliedServerLabels: previous.appliedServerLabels }),
    ...(previous?.marks && { marks: previous.marks }),
    lastOperation: operation,
  };
}

/** As observed, or as last reported for this server. */
function installationOf(
  previous: MachineStatus | undefined,
  { installation }: MachineFacts,
  serverID: string | undefined,
): Installation {
  if (installation) return installation;
  if (serverID === undefined || previous?.serverID !== serverID) return { installed: undefined, reinstall: undefined };
  const installedCondition = findCondition(previous.conditions, ConditionType.Installed);
  const { progress = 0 } = previous.lastOperation ?? {};
  return {
    installed: previous.installed,
    reinstall: previous.reinstall,
    ...(installedCondition && {
      waiting: { reason: installedCondition.reason as ConditionReason, message: installedCondition.message, progress },
    }),
  };
}

/** Whether the node is left over from an earlier installation. */
function isFromPreviousInstallation(node: TenantNode, reinstall: MachineReinstall | undefined): boolean {
  return reinstall?.requestedTime !== undefined && !hasBootedSince(node, reinstall);
}

function nodeFacts(previous: MachineStatus | undefined, { isNodeKnown, node }: MachineFacts): Partial<MachineStatus> {
  const nodeName = isNodeKnown ? node?.metadata.name : previous?.nodeName;
  const version = isNodeKnown ? node?.status?.nodeInfo?.kubeletVersion.replace(/^v/, '') : previous?.version;
  // Empty until the kubelet's first report.
  return { ...(nodeName !== undefined && { nodeName }), ...(version && { version }) };
}

function phaseOf(
  serverID: string | undefined,
  isReady: boolean,
  wasReady: boolean,
  reinstall: MachineReinstall | undefined,
): MachinePhase {
  if (isReady) return 'Ready';
  if (reinstall) return reinstall.requestedTime === undefined ? 'Draining' : 'Installing';
  if (serverID === undefined) return wasReady ? 'NotReady' : 'Pending';
  return wasReady ? 'NotReady' : 'Installing';
}

function readyTimes(
  previous: MachineStatus | undefined,
  isReady: boolean,
  timedOutTime: string | undefined,
  nowMs: number,
): Partial<MachineStatus> {
  const readyTime = previous?.readyTime ?? (isReady ? formatTime(nowMs) : undefined);
  if (readyTime === undefined) return timedOutTime === undefined ? {} : { notReadyTime: timedOutTime };
  if (isReady) return { readyTime };
  return { readyTime, notReadyTime: previous?.notReadyTime ?? formatTime(nowMs) };
}

/** A node that is no longer ready has been waiting since `notReadyTime` for the cause in its condition. */
function nodeWaitOf(
  operation: MachineStatus['lastOperation'],
  conditions: readonly Condition[],
  notReadyTime: string | undefined,
): Wait {
  if (operation?.reason !== undefined) return operation;
  return { reason: findCondition(conditions, ConditionType.Ready)?.reason, since: notReadyTime };
}

/**
 * The facts for the conditions, including the reason why a late node has not joined, and what the installation is
 * waiting for.
 */
type ConditionFacts = MachineFacts &
  Pick<Installation, 'reinstall' | 'waiting'> & { readonly late: Problem | undefined };

function machineConditions(
  facts: ConditionFacts,
  server: Server | undefined,
  isReady: boolean,
  previous: MachineStatus | undefined,
): ConditionState[] {
  const serverReady = serverCondition(facts, server, previous);
  const nodeReady = nodeCondition(facts, previous);
  const { late, reinstall, waiting, isServerGone } = facts;
  const failing = serverReady.status === 'True' ? nodeReady : serverReady;
  const isInstalling = reinstall !== undefined && waiting !== undefined && late === undefined && !isServerGone;
  const readyCondition = isInstalling
    ? conditionUnmet(ConditionType.Ready, waiting)
    : { ...failing, type: ConditionType.Ready };
  return [serverReady, nodeReady, isReady ? conditionMet(ConditionType.Ready) : readyCondition];
}

function serverCondition(
  { problem, server: ref, isServerKnown }: MachineFacts,
  server: Server | undefined,
  previous: MachineStatus | undefined,
): ConditionState {
  const type = ConditionType.ServerReady;
  if (!isServerKnown && previous?.serverID !== undefined) {
    const last = findCondition(previous.conditions, type);
    if (problem) return { ...conditionUnmet(type, problem), status: 'Unknown' };
    if (last) return last;
  }
  if (problem) return conditionUnmet(type, problem);
  if (server?.status === 'ACTIVE') return conditionMet(type);
  if (server === undefined || server.status === 'BUILD') {
    const message = ref === undefined ? 'the server will be created' : 'the cloud is building the server';
    return conditionUnmet(type, { reason: ConditionReason.WaitingForServer, message });
  }
  if (server.status === 'REBUILD') {
    return conditionUnmet(type, {
      reason: ConditionReason.Reinstalling,
      message: 'the cloud is reinstalling the server',
    });
  }
  if (isStopped(server)) {
    const advice = server.status === 'SHUTOFF' ? `openstack server start ${server.id}` : 'bring it back to ACTIVE';
    const message = `the server is ${server.status}, and Fairway did not stop it: ${advice}`;
    return conditionUnmet(type, { reason: ConditionReason.ServerStopped, message });
  }
  const message = `the server is ${server.status}${server.fault ? `: ${server.fault.message}` : ''}`;
  return conditionUnmet(type, { reason: ConditionReason.ServerFailed, message });
}

function belongsToOtherServer(node: TenantNode, serverID: string | undefined): boolean {
  return serverID !== undefined && claimsOtherServer(node, serverID);
}

function nodeCondition(
  { node, server, isNodeKnown, late, reinstall }: ConditionFacts,
  previous: MachineStatus | undefined,
): ConditionState {
  const type = ConditionType.NodeReady;
  const last = isNodeKnown ? undefined : findCondition(previous?.conditions, type);
  if (last) return last;
  if (late) return conditionUnmet(type, late);
  if (node === undefined && previous?.readyTime !== undefined && reinstall === undefined) {
    const isRunning = server !== undefined && 'status' in server && server.status === 'ACTIVE';
    const message = isRunning
      ? `${NO_NODE}, but its server is still running; to bring it back: openstack server reboot ${server.id}`
      : NO_NODE;
    return conditionUnmet(type, { reason: ConditionReason.NodeNotReady, message });
  }
  if (node === undefined || isFromPreviousInstallation(node, reinstall)) {
    const message = 'the server has not joined the cluster as a node yet';
    return conditionUnmet(type, { reason: ConditionReason.WaitingForNode, message });
  }
  const serverID = server?.id ?? previous?.serverID;
  if (belongsToOtherServer(node, serverID)) {
    const claim = node.spec?.providerID?.slice(0, 255);
    const message = `spec.providerID of the node is ${claim}, but the machine has server ${serverID}; delete the Machine to have it replaced`;
    return conditionUnmet(type, { reason: ConditionReason.NodeNotReady, message });
  }
  if (isNodeReady(node)) return conditionMet(type);
  return conditionUnmet(type, { reason: ConditionReason.NodeNotReady, message: describeUnready(node) });
}
