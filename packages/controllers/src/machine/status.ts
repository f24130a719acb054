import { ConditionReason, ConditionType, turnOf } from '@fairway/api/conditions';
import type { Machine, MachinePhase, MachineStatus } from '@fairway/api/kinds/machine';
import type { OperationState, OperationType } from '@fairway/api/kinds/status';
import { formatTime } from '@fairway/base/clock';
import {
  type ConditionState,
  findCondition,
  isConditionTrue,
  setCondition,
  setConditions,
} from '@fairway/kube/controller/conditions';
import type { Server } from '@fairway/openstack/types/server';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import { claimsOtherServer, isNodeReady, isUninitialized, nodeReadyCondition } from '@fairway/tenancy/connection/node';
import { machineAddresses } from '@fairway/tenancy/machine-addresses';
import { conditionMet, conditionUnmet, type Problem } from '@fairway/tenancy/problem';
import { operation } from '../operation.ts';
import { healthCondition } from './health-condition.ts';
import { nextStartup, type StartupFacts, startupProblem } from './startup.ts';

/** Observations about a machine. */
export interface MachineFacts {
  /** Whether `server` is current; else the last reported state is kept. */
  readonly isServerKnown: boolean;
  /** The server as listed; its id alone while it is too young to be. */
  readonly server: Server | { readonly id: string } | undefined;
  /** As for the server. */
  readonly isNodeKnown: boolean;
  readonly node: TenantNode | undefined;
  readonly problem: Problem | undefined;
  /** What the startup is judged by; undefined keeps the last verdict. */
  readonly startup?: StartupFacts | undefined;
  /** URL of the cluster's API server, for what to look at. */
  readonly url?: string | undefined;
  readonly nowMs: number;
}

/** The status of a machine that is not being deleted. Pure, and complete: every condition is set every time. */
export function machineStatus(machine: Machine, facts: MachineFacts): MachineStatus {
  const { node, nowMs, isServerKnown, isNodeKnown } = facts;
  const previous = machine.status;
  const server = facts.server && 'status' in facts.server ? facts.server : undefined;
  const serverID = facts.server?.id ?? (isServerKnown ? undefined : previous?.serverID);
  const serverStatus = server?.status ?? (isServerKnown ? undefined : previous?.serverStatus);
  const isNodeUp = isNodeKnown
    ? node !== undefined && isNodeReady(node) && !isAnothers(node, serverID)
    : isConditionTrue(previous?.conditions, ConditionType.NodeReady);
  const isRunning = serverStatus === 'ACTIVE' && isNodeUp;
  // Problems that don't affect a working node, such as its floating IP, prevent it from becoming ready, not
  // from staying ready.
  const isReady = isRunning && (facts.problem === undefined || previous?.readyTime !== undefined);
  const phase = phaseOf(serverID, isReady, previous?.readyTime !== undefined);
  const addresses = server && server.status !== 'BUILD' ? machineAddresses(server) : previous?.addresses;
  const startup = facts.startup ? nextStartup(machine, facts.startup, nowMs) : previous?.startup;
  const late = facts.startup && startupProblem(startup, facts.startup.timeoutMs, facts.url);
  const generation = machine.metadata.generation ?? 0;
  let conditions = previous?.conditions ?? [];
  for (const condition of machineConditions({ ...facts, late }, server, isReady, previous)) {
    conditions = [...setCondition(conditions, { ...condition, observedGeneration: generation }, nowMs)];
  }
  const beside = { [ConditionType.HealthCheckSucceeded]: healthCondition(previous) };
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
    ...readyTimes(previous, isReady, startup?.timedOutTime, nowMs),
    ...(startup && !isReady && { startup }),
    // Other controllers'.
    ...(previous?.appliedTemplate && { appliedTemplate: previous.appliedTemplate }),
    ...(previous?.marks && { marks: previous.marks }),
    lastOperation: lastOperation(previous, phase, { ...facts, problem: facts.problem ?? late }, server, nowMs),
  };
}

function nodeFacts(previous: MachineStatus | undefined, { isNodeKnown, node }: MachineFacts): Partial<MachineStatus> {
  const nodeName = isNodeKnown ? node?.metadata.name : previous?.nodeName;
  const version = isNodeKnown ? node?.status?.nodeInfo?.kubeletVersion.replace(/^v/, '') : previous?.version;
  return { ...(nodeName !== undefined && { nodeName }), ...(version !== undefined && { version }) };
}

function phaseOf(serverID: string | undefined, isReady: boolean, wasReady: boolean): MachinePhase {
  if (isReady) return 'Ready';
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

/** With what keeps the node from joining, if it is late. */
type LateFacts = MachineFacts & { readonly late: Problem | undefined };

function machineConditions(
  facts: LateFacts,
  server: Server | undefined,
  isReady: boolean,
  previous: MachineStatus | undefined,
): ConditionState[] {
  const serverReady = serverCondition(facts, server, previous);
  const nodeReady = nodeCondition(facts, previous);
  const failing = serverReady.status === 'True' ? nodeReady : serverReady;
  const ready = isReady ? conditionMet(ConditionType.Ready) : { ...failing, type: ConditionType.Ready };
  return [serverReady, nodeReady, ready];
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
  const message = `the server is ${server.status}${server.fault ? `: ${server.fault.message}` : ''}`;
  return conditionUnmet(type, { reason: ConditionReason.ServerFailed, message });
}

function isAnothers(node: TenantNode, serverID: string | undefined): boolean {
  return serverID !== undefined && claimsOtherServer(node, serverID);
}

function nodeCondition(
  { node, server, isNodeKnown, late }: LateFacts,
  previous: MachineStatus | undefined,
): ConditionState {
  const type = ConditionType.NodeReady;
  const last = isNodeKnown ? undefined : findCondition(previous?.conditions, type);
  if (last) return last;
  if (late) return conditionUnmet(type, late);
  if (node === undefined) {
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
  const { status, message: kubeletSays } = nodeReadyCondition(node) ?? {};
  const isWaitingForCloud = status === 'True' && isUninitialized(node);
  const whatItSays = isWaitingForCloud ? 'the cloud provider has not initialised it yet' : kubeletSays;
  const message = whatItSays ? `the node is not ready: ${whatItSays}` : 'the node is not ready yet';
  return conditionUnmet(type, { reason: ConditionReason.NodeNotReady, message });
}

function lastOperation(
  previous: MachineStatus | undefined,
  phase: MachinePhase,
  facts: MachineFacts,
  server: Server | undefined,
  nowMs: number,
): MachineStatus['lastOperation'] {
  const type = operationType(previous, phase);
  const { progress, description } = progressOf(phase, facts, server);
  return operation(
    previous?.lastOperation,
    { type, state: stateOf(phase, facts.problem), progress, description },
    nowMs,
  );
}

/** A succeeded operation keeps its type, so that an unchanged machine is not written again. */
function operationType(previous: MachineStatus | undefined, phase: MachinePhase): OperationType {
  if (previous?.readyTime === undefined) return 'Create';
  if (phase === 'Ready') return previous.lastOperation?.type ?? 'Reconcile';
  return previous.marks?.repair?.due ? 'Heal' : 'Reconcile';
}

function stateOf(phase: MachinePhase, problem: Problem | undefined): OperationState {
  if (phase === 'Ready') return 'Succeeded';
  if (problem === undefined) return 'Processing';
  return turnOf(problem.reason) === 'fairway' ? 'Pending' : 'Error';
}

function progressOf(
  phase: MachinePhase,
  { problem, node, server: ref }: MachineFacts,
  server: Server | undefined,
): { progress: number; description: string } {
  if (phase === 'Ready') return { progress: 100, description: 'the node is ready' };
  if (problem) return { progress: ref ? 30 : 0, description: problem.message };
  if (ref === undefined) return { progress: 10, description: 'creating the server' };
  if (server?.status !== 'ACTIVE') return { progress: 30, description: 'the cloud builds the server' };
  if (node === undefined) return { progress: 60, description: 'the server boots and joins the cluster' };
  return { progress: 90, description: 'the node becomes ready' };
}
