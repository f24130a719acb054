import { actionRequiredBy } from '@fairway/api/conditions';
import type { MachinePhase, MachineStatus } from '@fairway/api/kinds/machine';
import type { LastOperation, OperationState, OperationType } from '@fairway/api/kinds/status';
import type { Server } from '@fairway/openstack/types/server';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import type { Problem } from '@fairway/tenancy/problem';
import { operation } from '../operation.ts';

/** The facts that determine the progress of a machine. */
interface ProgressFacts {
  readonly problem: Problem | undefined;
  readonly node: TenantNode | undefined;
  /** The server, or what is known about it before the cloud's first response. */
  readonly server: Server | { readonly id: string } | undefined;
}

export const NO_NODE = 'the node is no longer in the cluster';

/** The current operation of a machine that is being created or repaired, or is lost, and its progress. Pure. */
export function lastOperation(
  previous: MachineStatus | undefined,
  phase: MachinePhase,
  facts: ProgressFacts,
  server: Server | undefined,
  nowMs: number,
): MachineStatus['lastOperation'] {
  const type = operationType(previous, phase);
  const { progress, description } = progressOf(phase, facts, server, previous);
  const state = stateOf(phase, facts.problem);
  const details = phase !== 'Ready' && { reason: facts.problem?.reason, steps: stepsOf(progress, STARTUP_PROGRESS) };
  return operation(previous?.lastOperation, { type, state, progress, description, ...details }, nowMs);
}

/** The operation of a machine that is being reinstalled; the previous one if there is nothing to wait for. Pure. */
export function installationOperation(
  previous: MachineStatus | undefined,
  { installation }: { readonly installation?: { readonly hasFailed?: boolean } | undefined },
  waiting: (Problem & { readonly progress?: number }) | undefined,
  nowMs: number,
): MachineStatus['lastOperation'] {
  const { lastOperation: last } = previous ?? {};
  if (waiting === undefined) return last;
  const hasFailed = installation?.hasFailed ?? last?.state === 'Error';
  const state = hasFailed ? stateOf('Installing', waiting) : 'Processing';
  const { progress = 70, message: description, reason } = waiting;
  const steps = stepsOf(progress, REINSTALL_PROGRESS);
  return operation(last, { type: 'Reinstall', state, progress, description, reason, steps }, nowMs);
}

/** The percentage at which a step is done: server requested, server running, joined as a node, node Ready. */
const STARTUP_PROGRESS = [30, 60, 90, 100];
/** The same for a reinstallation: drained, reinstalled, node Ready. */
const REINSTALL_PROGRESS = [30, 70, 100];

/** The steps; those that `progress` has reached are done. */
export function stepsOf(progress: number, progressSteps: readonly number[]): NonNullable<LastOperation['steps']> {
  return { done: progressSteps.filter((percent) => progress >= percent).length, total: progressSteps.length };
}

/** A succeeded operation keeps its type, so that an unchanged machine is not written again. */
function operationType(previous: MachineStatus | undefined, phase: MachinePhase): OperationType {
  if (previous?.reinstall) return 'Reinstall';
  if (previous?.readyTime === undefined) return 'Create';
  if (phase === 'Ready') return previous.lastOperation?.type ?? 'Reconcile';
  return previous.marks?.repair?.due ? 'Heal' : 'Reconcile';
}

function stateOf(phase: MachinePhase, problem: Problem | undefined): OperationState {
  if (phase === 'Ready') return 'Succeeded';
  if (problem === undefined) return 'Processing';
  return actionRequiredBy(problem.reason) === 'fairway' ? 'Pending' : 'Error';
}

function progressOf(
  phase: MachinePhase,
  { problem, node, server: ref }: ProgressFacts,
  server: Server | undefined,
  previous: MachineStatus | undefined,
): { progress: number; description: string } {
  if (phase === 'Ready') return { progress: 100, description: 'the node is ready' };
  if (problem) return { progress: ref ? 30 : 0, description: problem.message };
  const wasReady = previous?.readyTime !== undefined && previous.reinstall === undefined;
  if (ref === undefined) return { progress: 10, description: 'creating the server' };
  if (server?.status !== 'ACTIVE') {
    return {
      progress: 30,
      description: wasReady && server ? `the server is ${server.status}` : 'the cloud is building the server',
    };
  }
  if (node === undefined) {
    return { progress: 60, description: wasReady ? NO_NODE : 'the server is booting and joining the cluster' };
  }
  return { progress: 90, description: 'the node is becoming ready' };
}
