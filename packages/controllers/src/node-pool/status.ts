import { ConditionReason, ConditionType, turnOf } from '@fairway/api/conditions';
import type { DesiredMachine } from '@fairway/api/domain/template-change';
import { isOutdated } from '@fairway/api/domain/template-change';
import { CLUSTER_LABEL, NODE_POOL_LABEL } from '@fairway/api/group';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool, NodePoolStatus } from '@fairway/api/kinds/node-pool';
import { type ConditionState, findCondition, setCondition } from '@fairway/kube/controller/conditions';
import { operation } from '../operation.ts';

export interface PoolProblem {
  readonly reason: ConditionReason;
  readonly message: string;
}

export interface PoolFacts {
  readonly machines: readonly Machine[];
  /** Absent while the pool can't know what its machines should be. */
  readonly desired: DesiredMachine | undefined;
  readonly problem: PoolProblem | undefined;
  readonly serverGroupID: string | undefined;
  readonly flavorID: string | undefined;
  readonly isSchedulable: (machine: Machine) => boolean;
  readonly nowMs: number;
}

/** The status of a pool that is not being deleted. Pure; every condition is set every time. */
export function poolStatus(pool: NodePool, facts: PoolFacts): NodePoolStatus {
  const { machines, desired, nowMs } = facts;
  const previous = pool.status;
  const generation = pool.metadata.generation ?? 0;
  const staying = machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const ready = staying.filter(({ status }) => status?.phase === 'Ready');
  const updated = desired === undefined ? [] : staying.filter(({ spec }) => !isOutdated(desired, spec));
  const counts = {
    desired: pool.spec.replicas,
    staying: staying.length,
    ready: ready.length,
    leaving: machines.length - staying.length,
  };
  const states = [machinesCondition(facts, staying, counts), upToDateCondition(updated.length, counts)];
  const [machinesReady] = states;
  states.push({ ...(machinesReady as ConditionState), type: ConditionType.Ready });
  let conditions = previous?.conditions ?? [];
  for (const state of states) {
    conditions = [...setCondition(conditions, { ...state, observedGeneration: generation }, nowMs)];
  }
  const isReady = machinesReady?.status === 'True';
  const phase = phaseOf(previous, machinesReady as ConditionState, counts);
  const version = lowestVersion(staying);
  const description = isReady ? 'all nodes are ready' : (machinesReady?.message ?? '');
  const type =
    previous?.lastOperation === undefined
      ? 'Create'
      : counts.staying === counts.desired && isReady
        ? previous.lastOperation.type
        : operationType(previous, counts);
  const progress =
    counts.desired === 0
      ? isReady
        ? 100
        : 50
      : Math.floor(Math.min(counts.ready / counts.desired, 1) * (isReady ? 100 : 95));
  const turn = turnOf((machinesReady?.reason ?? 'Provisioning') as ConditionReason);
  const state = isReady ? 'Succeeded' : turn === 'fairway' ? 'Processing' : 'Error';
  return {
    observedGeneration: generation,
    phase,
    conditions: [...conditions],
    replicas: staying.length,
    readyReplicas: ready.length,
    updatedReplicas: updated.length,
    availableReplicas: ready.filter(facts.isSchedulable).length,
    selector: `${CLUSTER_LABEL}=${pool.spec.clusterName},${NODE_POOL_LABEL}=${pool.metadata.name}`,
    readySummary: `${ready.length}/${pool.spec.replicas}`,
    ...(version !== undefined && { version }),
    ...(facts.serverGroupID !== undefined && { serverGroupID: facts.serverGroupID }),
    ...(facts.flavorID !== undefined && { flavorID: facts.flavorID }),
    ...(desired && { imageID: desired.image }),
    lastOperation: operation(previous?.lastOperation, { type, state, progress, description }, nowMs),
  };
}

interface Counts {
  readonly desired: number;
  readonly staying: number;
  readonly ready: number;
  readonly leaving: number;
}

function machinesCondition({ problem }: PoolFacts, staying: readonly Machine[], counts: Counts): ConditionState {
  const type = ConditionType.MachinesReady;
  if (problem) return { type, status: 'False', ...problem };
  const share = `${counts.ready}/${counts.desired} nodes are ready`;
  const troubled =
    staying.find((machine) => troubleOf(machine) !== undefined) ??
    staying.find(({ status }) => status?.phase !== 'Ready');
  if (troubled) {
    const trouble = findCondition(troubled.status?.conditions, ConditionType.Ready);
    const detail = trouble?.message ? `; ${troubled.metadata.name}: ${trouble.message}` : '';
    return {
      type,
      status: 'False',
      reason: trouble?.reason ?? ConditionReason.Provisioning,
      message: `${share}${detail}`,
    };
  }
  if (counts.staying !== counts.desired)
    return { type, status: 'False', reason: ConditionReason.Scaling, message: share };
  if (counts.leaving > 0) {
    return {
      type,
      status: 'False',
      reason: ConditionReason.Scaling,
      message: `${share}; ${counts.leaving} machines are leaving`,
    };
  }
  return { type, status: 'True', reason: ConditionReason.AsExpected, message: '' };
}

/** A machine that waits for somebody other than Fairway says so for its whole pool. */
function troubleOf(machine: Machine): ConditionReason | undefined {
  const condition = findCondition(machine.status?.conditions, ConditionType.Ready);
  if (condition === undefined || condition.status === 'True') return undefined;
  const reason = condition.reason as ConditionReason;
  return turnOf(reason) === 'fairway' ? undefined : reason;
}

function upToDateCondition(updated: number, counts: Counts): ConditionState {
  const type = ConditionType.UpToDate;
  const outdated = counts.staying - updated;
  if (outdated === 0) return { type, status: 'True', reason: ConditionReason.AsExpected, message: '' };
  const message = `${outdated} of ${counts.staying} machines have an older version, image or root volume than the pool asks for; delete them to have them replaced`;
  return { type, status: 'False', reason: ConditionReason.Updating, message };
}

function phaseOf(previous: NodePoolStatus | undefined, state: ConditionState, counts: Counts): NodePoolStatus['phase'] {
  if (state.status === 'True') return 'Ready';
  const turn = turnOf(state.reason as ConditionReason);
  const wasReady = previous?.phase !== undefined && previous.phase !== 'Pending' && previous.phase !== 'Provisioning';
  if (turn === 'user' || turn === 'operator') return wasReady ? 'Degraded' : 'Failed';
  if (!wasReady) return counts.staying === 0 ? 'Pending' : 'Provisioning';
  const isScaling = counts.staying !== counts.desired || counts.leaving > 0 || previous.phase === 'Scaling';
  return isScaling && turn === 'fairway' ? 'Scaling' : 'Degraded';
}

function operationType(previous: NodePoolStatus, counts: Counts) {
  const { type, state } = previous.lastOperation ?? { type: 'Create' as const, state: 'Processing' as const };
  if (state !== 'Succeeded') return type;
  return counts.staying === counts.desired && counts.leaving === 0 ? ('Reconcile' as const) : ('Scale' as const);
}

function lowestVersion(machines: readonly Machine[]): string | undefined {
  const versions = machines.map(({ status, spec }) => status?.version ?? spec.version);
  return versions.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))[0];
}
