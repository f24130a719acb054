import { actionRequiredBy, ConditionReason, ConditionType, isOutage } from '@fairway/api/conditions';
import { pluralize } from '@fairway/api/domain/pluralize';
import { targetReplicas } from '@fairway/api/domain/target-replicas';
import type { DesiredMachine } from '@fairway/api/domain/template-change';
import { isOutdated } from '@fairway/api/domain/template-change';
import { CLUSTER_LABEL, NODE_POOL_LABEL } from '@fairway/api/group';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool, NodePoolStatus } from '@fairway/api/kinds/node-pool';
import { type ConditionState, findCondition, setConditions } from '@fairway/kube/controller/conditions';
import { conditionMet, conditionUnmet, type Problem } from '@fairway/tenancy/problem';
import { securityGroupsCondition } from '../security-groups/pool-security-groups.ts';
import { datedConditions, heldObjectsProblem } from '../waits.ts';
import { autoscaledCondition } from './autoscaled-condition.ts';
import { isBeingReinstalled, isKeptForInspection } from './availability.ts';
import { nodesHealthyCondition } from './health-condition.ts';
import { imageHistory } from './image-history.ts';
import { lastOperation } from './last-operation.ts';
import { type Counts, poolOperation, poolPhase, poolWork } from './phase.ts';
import type { FlavorInCloud } from './template-in-cloud.ts';

export interface PoolFacts {
  /** Absent if there is none. */
  readonly cluster?: Cluster | undefined;
  readonly machines: readonly Machine[];
  /** Absent while the desired machines are unknown. */
  readonly desired: DesiredMachine | undefined;
  readonly problem: Problem | undefined;
  /** How the image of `desired` was selected: spec.image of the pool or its cluster. */
  readonly requestedImage?: string | undefined;
  readonly serverGroupID: string | undefined;
  /** The cores of `desired`; absent if the cloud has no such flavor. */
  readonly flavor: FlavorInCloud | undefined;
  /** As recorded earlier in this pass. */
  readonly chosenZones?: readonly string[] | undefined;
  readonly isSchedulable: (machine: Machine) => boolean;
  readonly nowMs: number;
}

/** The status of a pool that is not being deleted. Pure; every condition is set every time. */
export function poolStatus(pool: NodePool, observed: PoolFacts): NodePoolStatus {
  const { machines, desired, nowMs } = observed;
  const previous = pool.status;
  const generation = pool.metadata.generation ?? 0;
  const staying = machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const readyMachines = staying.filter(({ status }) => status?.phase === 'Ready');
  const updated = desired && staying.filter((machine) => isUpToDate(desired, machine)).length;
  const counts = {
    desired: targetReplicas(pool, observed.cluster),
    staying: staying.length,
    ready: readyMachines.length,
    leaving: machines.filter((machine) => !isKeptForInspection(machine)).length - staying.length,
  };
  // Pools do not report an unreachable cloud: the Cluster does, in CloudReachable.
  const waits = !isOutage(observed.problem?.reason) || !isSettled(previous, generation, counts);
  const facts = waits ? observed : { ...observed, problem: undefined };
  const previousMessage = findCondition(previous?.conditions, ConditionType.MachinesReady)?.message;
  const work = poolWork(machines, previous?.upgrade);
  const machinesReady = machinesCondition(facts, staying, counts, { previousMessage, isUpgrading: work.isUpgrading });
  const conditions = setConditions(
    previous?.conditions,
    {
      [ConditionType.MachinesReady]: machinesReady,
      [ConditionType.UpToDate]: upToDateCondition(observed, previous, { staying, updated, counts }),
      [ConditionType.Ready]: machinesReady,
      [ConditionType.NodesHealthy]: nodesHealthyCondition(staying),
      [ConditionType.Autoscaled]: autoscaledCondition(pool, nowMs),
      [ConditionType.SecurityGroupsApplied]: securityGroupsCondition(pool),
      // Earlier releases set it on pools.
      [ConditionType.FieldsApplied]: undefined,
    },
    { generation, nowMs },
  );
  const isChanged = previous?.observedGeneration !== undefined && previous.observedGeneration !== generation;
  // For example, autoscaling changes the size without changing the spec.
  const isResized = previous?.desiredReplicas !== undefined && previous.desiredReplicas !== counts.desired;
  const isRequested = isChanged || isResized;
  const type = poolOperation(previous?.lastOperation, counts, isRequested, work);
  const hasProblem = facts.problem !== undefined;
  const { isUpgrading } = work;
  const phase = poolPhase(
    { machinesReady, counts, staying, operation: type, hasProblem, isUpgrading },
    previous?.phase,
  );
  const operation = lastOperation(
    previous?.lastOperation,
    { type, machinesReady, counts, updated, work, upgrade: previous?.upgrade, staying },
    nowMs,
  );
  const version = lowestVersion(staying);
  // Unknown values retain their last state.
  const imageID = desired ? desired.image : previous?.imageID;
  const image = desired ? imageOf(previous, observed, desired) : previous?.image;
  const flavorID = desired ? facts.flavor?.id : previous?.flavorID;
  const flavorName = desired ? facts.flavor?.name : previous?.flavorName;
  const zones = observed.chosenZones ?? previous?.zones;
  const serverGroupID = desired ? facts.serverGroupID : previous?.serverGroupID;
  return {
    observedGeneration: generation,
    phase,
    conditions: [...datedConditions(conditions, operation)],
    replicas: staying.length,
    readyReplicas: readyMachines.length,
    updatedReplicas: updated ?? previous?.updatedReplicas ?? 0,
    availableReplicas: readyMachines.filter(facts.isSchedulable).length,
    selector: `${CLUSTER_LABEL}=${pool.spec.clusterName},${NODE_POOL_LABEL}=${pool.metadata.name}`,
    desiredReplicas: counts.desired,
    readySummary: `${readyMachines.length}/${counts.desired}`,
    ...(version !== undefined && { version }),
    ...(serverGroupID !== undefined && { serverGroupID }),
    ...(flavorID !== undefined && { flavorID }),
    ...(flavorName !== undefined && { flavorName }),
    ...(imageID !== undefined && { imageID }),
    ...(zones && { zones: [...zones] }),
    // Other controllers' conditions.
    ...(previous?.healing && { healing: previous.healing }),
    ...(previous?.autoscaling && { autoscaling: previous.autoscaling }),
    ...(previous?.bounds && { bounds: previous.bounds }),
    ...(previous?.securityGroups && { securityGroups: previous.securityGroups }),
    ...(image && { image }),
    ...(previous?.upgrade && { upgrade: previous.upgrade }),
    lastOperation: operation,
  };
}

function imageOf(
  previous: NodePoolStatus | undefined,
  { requestedImage, machines }: PoolFacts,
  { image }: DesiredMachine,
): NodePoolStatus['image'] {
  const used = machines.map(({ spec }) => spec.image);
  return imageHistory(previous, { asked: requestedImage, id: image }, used);
}

/** Whether the machine matches the pool's spec, down to its disk. */
function isUpToDate(desired: DesiredMachine, machine: Machine): boolean {
  return !isOutdated(desired, machine.spec) && !isBeingReinstalled(machine);
}

/** Whether the pool has reached the state of this generation, according to its current machines. */
function isSettled(previous: NodePoolStatus | undefined, generation: number, counts: Counts): boolean {
  const isKnown = findCondition(previous?.conditions, ConditionType.UpToDate)?.observedGeneration === generation;
  return isKnown && counts.staying === counts.desired && counts.ready === counts.desired && counts.leaving === 0;
}

function machinesCondition(
  { machines, problem }: PoolFacts,
  staying: readonly Machine[],
  counts: Counts,
  { previousMessage, isUpgrading }: { readonly previousMessage: string | undefined; readonly isUpgrading: boolean },
): ConditionState {
  const type = ConditionType.MachinesReady;
  if (problem) return conditionUnmet(type, problem);
  // Surge machines that come and go are not counted as missing.
  if (isUpgrading && counts.ready >= counts.desired) return conditionMet(type);
  const share = `${counts.ready}/${counts.desired} nodes are ready`;
  const affectedMachines =
    staying.find((machine) => problemReason(machine) !== undefined) ??
    staying.find(({ status }) => status?.phase !== 'Ready');
  if (affectedMachines) {
    const readyCondition = findCondition(affectedMachines.status?.conditions, ConditionType.Ready);
    const reason = (readyCondition?.reason ?? ConditionReason.Provisioning) as ConditionReason;
    const report = ({ metadata }: Machine) =>
      `${share}${readyCondition?.message ? `; ${metadata.name}: ${readyCondition.message}` : ''}`;
    // Machines that fail for the same reason are retried one after another: the pool keeps reporting the same machine.
    const named = staying.find((machine) => machine.status?.phase !== 'Ready' && report(machine) === previousMessage);
    return conditionUnmet(type, { reason, message: report(named ?? affectedMachines) });
  }
  const reason = ConditionReason.Scaling;
  if (counts.staying !== counts.desired) return conditionUnmet(type, { reason, message: share });
  if (counts.leaving > 0) {
    const leaving = `${share}; ${pluralize(counts.leaving, 'machine')} still to be deleted`;
    const held = heldObjectsProblem([
      { noun: 'machine', objects: machines.filter((machine) => !isKeptForInspection(machine)) },
    ]);
    return conditionUnmet(
      type,
      held ? { ...held, message: `${leaving}; ${held.message}` } : { reason, message: leaving },
    );
  }
  return conditionMet(type);
}

/**
 * The reason why the machine is waiting for someone other than Fairway, which its pool then reports; undefined if it
 * is not.
 */
function problemReason(machine: Machine): ConditionReason | undefined {
  const condition = findCondition(machine.status?.conditions, ConditionType.Ready);
  if (condition === undefined || condition.status === 'True') return undefined;
  const reason = condition.reason as ConditionReason;
  return actionRequiredBy(reason) === 'fairway' ? undefined : reason;
}

function upToDateCondition(
  { problem }: PoolFacts,
  previous: NodePoolStatus | undefined,
  {
    staying,
    updated,
    counts,
  }: { readonly staying: readonly Machine[]; readonly updated: number | undefined; readonly counts: Counts },
): ConditionState {
  const type = ConditionType.UpToDate;
  if (updated === undefined) {
    const unknown = problem ?? { reason: ConditionReason.Provisioning, message: 'not known yet' };
    // The previous condition is returned with its own generation.
    return findCondition(previous?.conditions, type) ?? { ...conditionUnmet(type, unknown), status: 'Unknown' };
  }
  const outdated = counts.staying - updated;
  if (outdated === 0) return conditionMet(type);
  const repaired = staying.filter(isRepairedInPlace).length;
  if (repaired === outdated) {
    const message = `${repaired} of ${counts.staying} machines are being reinstalled on their servers`;
    return conditionUnmet(type, { reason: ConditionReason.Reinstalling, message });
  }
  const share = `${outdated} of ${counts.staying} machines have a version, image, flavor, root volume, zone or network other than the pool's spec requires`;
  const { reason, message, since } = previous?.upgrade ?? {};
  if (reason === undefined) return conditionUnmet(type, { reason: ConditionReason.Updating, message: share });
  return conditionUnmet(type, {
    reason: reason as ConditionReason,
    message: `${share}; since ${since}: ${message}`,
  });
}

/** Whether the machine's disk is rewritten only for a repair. */
function isRepairedInPlace(machine: Machine): boolean {
  const { spec, status } = machine;
  const { installed } = status ?? {};
  const repair = status?.marks?.repair;
  if (!repair?.due || repair.time !== spec.reinstallTime || !isBeingReinstalled(machine)) return false;
  return installed === undefined || (installed.image === spec.image && installed.version === spec.version);
}

function lowestVersion(machines: readonly Machine[]): string | undefined {
  const versions = new Set(machines.map(({ status, spec }) => status?.version ?? spec.version));
  return [...versions].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))[0];
}
