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
import type { Server } from '@fairway/openstack/types/server';
import { isStopped } from '@fairway/tenancy/cloud/servers';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import { claimsOtherServer, isNodeReady } from '@fairway/tenancy/connection/node';
import { type AddressRules, machineAddresses } from '@fairway/tenancy/machine-addresses';
import { conditionMet, conditionUnmet, type Problem } from '@fairway/tenancy/problem';
import { healthCondition } from './health-condition.ts';
import { keepCondition } from './inspection.ts';
import { installationOperation, lastOperation, NO_NODE } from './last-operation.ts';
import type { Installation } from './reinstall.ts';
import { hasBootedSince, isOnDisk } from './reinstall-plan.ts';
import { nextStartup, type StartupFacts, startupProblem } from './startup.ts';
import { describeUnready } from './unready-node.ts';

/** Observations about a machine. */
export interface MachineFacts {
  /** Whether `server` is current; else the last reported state is kept. */
  readonly isServerKnown: boolean;
  /** Whether the cloud has said, asked for the server itself, that it is no more. */
  readonly isServerGone?: boolean;
  /** The server as listed; its id alone while it is too young to be. */
  readonly server: Server | { readonly id: string } | undefined;
  /** As for the server. */
  readonly isNodeKnown: boolean;
  readonly node: TenantNode | undefined;
  readonly problem: Problem | undefined;
  /** Which of the server's addresses are the node's. */
  readonly addressRules?: AddressRules;
  /** How far the installation is; undefined keeps what was last known of it. */
  readonly installation?: (Installation & { readonly hasFailed?: boolean }) | undefined;
  /** What the startup is judged by; undefined keeps the last verdict. */
  readonly startup?: StartupFacts | undefined;
  /** URL of the cluster's API server, for what to look at. */
  readonly url?: string | undefined;
  /** How its pool is healed. */
  readonly healing?: HealingSettings | undefined;
  readonly nowMs: number;
}

/** The status of a machine that is not being deleted. Pure, and complete: every condition is set every time. */
export function machineStatus(machine: Machine, facts: MachineFacts): MachineStatus {
  const { node, nowMs, isServerKnown, isNodeKnown } = facts;
  const previous = machine.status;
  const server = facts.server && 'status' in facts.server ? facts.server : undefined;
  const serverID = facts.server?.id ?? (isServerKnown && !facts.isServerGone ? undefined : previous?.serverID);
  const serverStatus = server?.status ?? (isServerKnown ? undefined : previous?.serverStatus);
  const { installed, reinstall, waiting } = installationOf(previous, facts, serverID);
  const isNodeUp = isNodeKnown
    ? node !== undefined && isNodeReady(node) && !isAnothers(node, serverID) && !isFromBefore(node, reinstall)
    : isConditionTrue(previous?.conditions, ConditionType.NodeReady);
  const isRunning = serverStatus === 'ACTIVE' && isNodeUp;
  // Problems that don't affect a working node, such as its floating IP, prevent it from becoming ready, not
  // from staying ready.
  const isReady =
    isRunning && reinstall === undefined && (facts.problem === undefined || previous?.readyTime !== undefined);
  const phase = phaseOf(serverID, isReady, previous?.readyTime !== undefined, reinstall);
  const addresses =
    server && server.status !== 'BUILD' ? machineAddresses(server, facts.addressRules) : previous?.addresses;
  // What a server does before it is reinstalled says nothing about what it does after that.
  const isNext = reinstall?.requestedTime !== undefined;
  const isUp = reinstall === undefined ? isReady : isRunning && !isNext;
  const lastStartup = isOnDisk(installed, reinstall) ? previous?.startup : undefined;
  const startup = facts.startup ? nextStartup(machine, facts.startup, nowMs) : lastStartup;
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
  const beside = {
    [ConditionType.HealthCheckSucceeded]: healthCondition(seen, facts),
    [ConditionType.KeptForInspection]: keepCondition(machine, nowMs),
    [ConditionType.Installed]: waiting && conditionUnmet(ConditionType.Installed, waiting),
  };
  conditions = [...setConditions(conditions, beside, { generation, nowMs })];
  const address = addresses?.find(({ type }) => type === 'InternalIP')?.address;
  return {
    observedGeneration: generation,
    phase,
    conditions: [...conditions],
    ...(serverID !== undefined && { serverID }),
    ...(serverStatus !== undefined && { serverStatus }),
    ...(addresses && { addresses }),
    ...(address !== undefined && { address }),
    ...nodeFacts(previous, facts),
    ...(installed && { installed }),
    ...(reinstall && { reinstall }),
    ...ready,
    ...(startup && !isReady && { startup }),
    // Other controllers'.
    ...(previous?.appliedTemplate && { appliedTemplate: previous.appliedTemplate }),
    ...(previous?.marks && { marks: previous.marks }),
    lastOperation: reinstall
      ? installationOperation(previous, facts, late ?? waiting, nowMs)
      : lastOperation(previous, phase, { ...facts, problem: facts.problem ?? late }, server, nowMs),
  };
}

/** As observed, or as last told of this server. */
function installationOf(
  previous: MachineStatus | undefined,
  { installation }: MachineFacts,
  serverID: string | undefined,
): Installation {
  if (installation) return installation;
  if (serverID === undefined || previous?.serverID !== serverID) return { installed: undefined, reinstall: undefined };
  const told = findCondition(previous.conditions, ConditionType.Installed);
  const { progress = 0 } = previous.lastOperation ?? {};
  return {
    installed: previous.installed,
    reinstall: previous.reinstall,
    ...(told && { waiting: { reason: told.reason as ConditionReason, message: told.message, progress } }),
  };
}

/** Whether the node is what an earlier installation has left. */
function isFromBefore(node: TenantNode, reinstall: MachineReinstall | undefined): boolean {
  return reinstall?.requestedTime !== undefined && !hasBootedSince(node, reinstall);
}

function nodeFacts(previous: MachineStatus | undefined, { isNodeKnown, node }: MachineFacts): Partial<MachineStatus> {
  const nodeName = isNodeKnown ? node?.metadata.name : previous?.nodeName;
  const version = isNodeKnown ? node?.status?.nodeInfo?.kubeletVersion.replace(/^v/, '') : previous?.version;
  return { ...(nodeName !== undefined && { nodeName }), ...(version !== undefined && { version }) };
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

/** With what keeps the node from joining, if it is late, and what the installation waits for. */
type LateFacts = MachineFacts & Pick<Installation, 'reinstall' | 'waiting'> & { readonly late: Problem | undefined };

function machineConditions(
  facts: LateFacts,
  server: Server | undefined,
  isReady: boolean,
  previous: MachineStatus | undefined,
): ConditionState[] {
  const serverReady = serverCondition(facts, server, previous);
  const nodeReady = nodeCondition(facts, previous);
  const { late, reinstall, waiting, isServerGone } = facts;
  const failing = serverReady.status === 'True' ? nodeReady : serverReady;
  const isInstalling = reinstall !== undefined && waiting !== undefined && late === undefined && !isServerGone;
  const unmet = isInstalling ? conditionUnmet(ConditionType.Ready, waiting) : { ...failing, type: ConditionType.Ready };
  return [serverReady, nodeReady, isReady ? conditionMet(ConditionType.Ready) : unmet];
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
    const message = ref === undefined ? 'the server will be created' : 'the cloud builds the server';
    return conditionUnmet(type, { reason: ConditionReason.WaitingForServer, message });
  }
  if (server.status === 'REBUILD') {
    return conditionUnmet(type, { reason: ConditionReason.Reinstalling, message: 'the cloud reinstalls the server' });
  }
  if (isStopped(server)) {
    const advice = server.status === 'SHUTOFF' ? `openstack server start ${server.id}` : 'bring it back to ACTIVE';
    const message = `the server is ${server.status}, and Fairway has not stopped it: ${advice}`;
    return conditionUnmet(type, { reason: ConditionReason.ServerStopped, message });
  }
  const message = `the server is ${server.status}${server.fault ? `: ${server.fault.message}` : ''}`;
  return conditionUnmet(type, { reason: ConditionReason.ServerFailed, message });
}

function isAnothers(node: TenantNode, serverID: string | undefined): boolean {
  return serverID !== undefined && claimsOtherServer(node, serverID);
}

function nodeCondition(
  { node, server, isNodeKnown, late, reinstall }: LateFacts,
  previous: MachineStatus | undefined,
): ConditionState {
  const type = ConditionType.NodeReady;
  const last = isNodeKnown ? undefined : findCondition(previous?.conditions, type);
  if (last) return last;
  if (late) return conditionUnmet(type, late);
  if (node === undefined && previous?.readyTime !== undefined && reinstall === undefined) {
    const isRunning = server !== undefined && 'status' in server && server.status === 'ACTIVE';
    const message = isRunning
      ? `${NO_NODE}, and its server still runs: openstack server reboot ${server.id} brings it back`
      : NO_NODE;
    return conditionUnmet(type, { reason: ConditionReason.NodeNotReady, message });
  }
  if (node === undefined || isFromBefore(node, reinstall)) {
    const message = 'the server has not joined the cluster as a node yet';
    return conditionUnmet(type, { reason: ConditionReason.WaitingForNode, message });
  }
  const serverID = server?.id ?? previous?.serverID;
  if (isAnothers(node, serverID)) {
    const claim = node.spec?.providerID?.slice(0, 255);
    const message = `the node says in spec.providerID that it is ${claim}, and the machine has server ${serverID}; delete the Machine to have it replaced`;
    return conditionUnmet(type, { reason: ConditionReason.NodeNotReady, message });
  }
  if (isNodeReady(node)) return conditionMet(type);
  return conditionUnmet(type, { reason: ConditionReason.NodeNotReady, message: describeUnready(node) });
}
