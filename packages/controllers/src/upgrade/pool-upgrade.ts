import { ConditionReason } from '@fairway/api/conditions';
import { pluralize } from '@fairway/api/domain/pluralize';
import { isNewRequest, requestValueOf } from '@fairway/api/domain/request';
import { type RequiredUpdate, requiredUpdate, updateTarget } from '@fairway/api/domain/required-update';
import type { RolloutLimits } from '@fairway/api/domain/rollout-limits';
import { compareVersions } from '@fairway/api/domain/version-numbers';
import { ABORT_UPGRADE_ANNOTATION, DELETE_FIRST_ANNOTATION, RETRY_ANNOTATION } from '@fairway/api/group';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { RenewalMark } from '@fairway/api/kinds/machine-marks';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { PoolUpgrade } from '@fairway/api/kinds/node-pool-upgrade';
import { isPaused } from '@fairway/api/pause';
import { formatTime } from '@fairway/base/clock';
import { truncate } from '@fairway/base/truncate';
import type { Problem } from '@fairway/tenancy/problem';
import { isAvailable, isBeingReinstalled, isKeptForInspection } from '../node-pool/availability.ts';
import { failedNewNode, machineProblem, nextFailureMs } from './failed-new-node.ts';
import { type Hold, type PolicyFacts, policyHold } from './hold.ts';
import { nextUpgrade, targetName } from './progress.ts';

export interface PoolFacts extends Omit<PolicyFacts, 'cluster'> {
  readonly cluster: Cluster;
  readonly pool: NodePool;
  /** All machines in the pool, including those being deleted. */
  readonly machines: readonly Machine[];
  /** Desired number of nodes. */
  readonly replicas: number;
  readonly limits: RolloutLimits;
  /** How many more machines the cluster may have. */
  readonly room: number;
  /** What delays all pools in the cluster, and what delays this one. */
  readonly hold: Hold | undefined;
  /** How long a new node may take. */
  readonly startupTimeoutMs: number;
  readonly nowMs: number;
}

export interface PoolUpgradePlan {
  /** The mark of each machine that is not being deleted. */
  readonly marks: ReadonlyMap<Machine, RenewalMark | undefined>;
  /** Undefined until a machine has had to be updated. */
  readonly upgrade: PoolUpgrade | undefined;
  /** When to check again without an event. */
  readonly requeueAtMs: number | undefined;
}

interface UpdateCandidate {
  readonly machine: Machine;
  readonly cause: RequiredUpdate;
  readonly hold: Hold | undefined;
}

/**
 * Selects the machines in one pool to update next. Pure and level-triggered: derived from the machines, their
 * marks and its own last state. It starts with a single machine, and continues only once this one has shown that the
 * new template works. Then it selects as many as may be unavailable or surge at a time. The pool's controller creates
 * and deletes machines for them within the same limits, and never deletes an available machine unnecessarily.
 */
export function planUpgrade(facts: PoolFacts): PoolUpgradePlan {
  const { pool, cluster, machines, nowMs } = facts;
  const target = updateTarget(pool, cluster);
  const last = pool.status?.upgrade;
  if (target === undefined) return { marks: new Map(), upgrade: last, requeueAtMs: undefined };
  const name = targetName(target);
  const staying = machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const renewed = staying.filter(({ spec }) => requiredUpdate(pool, cluster, spec) === undefined);
  const failed = failedNewNode(renewed, {
    timeoutMs: facts.startupTimeoutMs,
    retriedAtMs: retriedMsOf(pool, nowMs),
    nowMs,
  });
  const poolHold = facts.hold ?? ownHold(pool, name, failed);
  const outdated = staying.flatMap((machine): UpdateCandidate[] => {
    const cause = requiredUpdate(pool, cluster, machine.spec);
    if (cause === undefined) return [];
    return [
      {
        machine,
        cause,
        hold: poolHold ?? machineHold(machine) ?? policyHold(cause.cause, facts),
      },
    ];
  });
  const leaving = machines.filter(
    (machine) =>
      machine.metadata.deletionTimestamp !== undefined &&
      !isKeptForInspection(machine) &&
      requiredUpdate(pool, cluster, machine.spec) !== undefined,
  );
  const returningMachines = renewed.filter(isReturning);
  const inProgressCount = leaving.length + returningMachines.length;
  const due = chooseDueMachines(facts, outdated, { inProgressCount, isProven: renewed.some(isAvailable) });
  const marks = new Map(staying.map((machine) => [machine, undefined as RenewalMark | undefined]));
  for (const each of outdated) marks.set(each.machine, markOf(each, due.has(each.machine), facts));
  const pending = outdated.length + inProgressCount;
  // A reverted update has ended, whether it was running or queued: nothing is waiting for it.
  const isOver = last === undefined || (last.target !== name && last.state === 'Complete');
  if (pending === 0 && isOver) return { marks, upgrade: last, requeueAtMs: undefined };
  const isWorking = due.size > 0 || inProgressCount > 0;
  const wait = upgradeWaitOf(facts, { outdated, renewed, leaving, isWorking, poolHold });
  const state = stateOf({ pending, renewed, isWorking, poolHold, last, name });
  const progress = {
    target: name,
    strategy: facts.strategy,
    state,
    pending,
    hasBegun: isWorking,
    wait: state === 'Complete' ? undefined : wait,
    retryRequested: requestValueOf(pool, RETRY_ANNOTATION),
  };
  const requeueAtMs = state === 'Complete' ? undefined : nextFailureMs(renewed, facts.startupTimeoutMs, nowMs);
  return { marks, upgrade: nextUpgrade(last, progress, nowMs), requeueAtMs };
}

/** A retry requested for the pool clears earlier failures. */
function retriedMsOf(pool: NodePool, nowMs: number): number {
  const { upgrade } = pool.status ?? {};
  const { retried, retriedTime } = upgrade ?? {};
  if (upgrade !== undefined && isNewRequest(requestValueOf(pool, RETRY_ANNOTATION), retried)) return nowMs;
  return retriedTime === undefined ? Number.NEGATIVE_INFINITY : Date.parse(retriedTime);
}

export function ownHold(pool: NodePool, target: string, failed: ReturnType<typeof failedNewNode>): Hold | undefined {
  const { annotations, name } = pool.metadata;
  if (annotations?.[ABORT_UPGRADE_ANNOTATION] === target) {
    const message = `aborted: no further node is updated, and updated nodes are not rolled back; to resume: kubectl annotate nodepool ${name} ${ABORT_UPGRADE_ANNOTATION}-`;
    return { kind: 'Stop', reason: ConditionReason.UpgradeAborted, message };
  }
  if (pool.spec.upgradeStrategy.paused) {
    const message = 'spec.upgradeStrategy.paused: no further node is updated until it is false';
    return { kind: 'Finish', reason: ConditionReason.UpgradePaused, message };
  }
  if (failed === undefined) return undefined;
  const why = failed.why === '' ? '' : `: ${failed.why}`;
  const message = `no further node is updated, because ${failed.machine.metadata.name} is already updated and does not work${why}. The upgrade continues when it is repaired or replaced; to continue regardless: kubectl annotate nodepool ${name} ${RETRY_ANNOTATION}="$(date)" --overwrite`;
  return { kind: 'Finish', reason: ConditionReason.UpgradeHalted, message };
}

function machineHold(machine: Machine): Hold | undefined {
  if (!isPaused(machine)) return undefined;
  return { kind: 'Stop', reason: ConditionReason.Paused, message: 'the Machine is paused' };
}

/** Whether it is returning from an in-place update. */
function isReturning(machine: Machine): boolean {
  const { marks, reinstall } = machine.status ?? {};
  // Neither a repair nor the first installation is an update.
  if (marks?.repair?.due) return false;
  return isBeingReinstalled(machine) || reinstall !== undefined;
}

function chooseDueMachines(
  { strategy, limits, machines, replicas }: PoolFacts,
  outdated: readonly UpdateCandidate[],
  { inProgressCount, isProven }: { readonly inProgressCount: number; readonly isProven: boolean },
): ReadonlySet<Machine> {
  const staying = machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length;
  // Machines whose replacement exists.
  let extra = Math.max(staying - replicas, 0);
  const due = new Set<Machine>();
  for (const { machine, hold } of outdated) {
    if (!machine.status?.marks?.renewal?.due || hold?.kind === 'Stop') continue;
    if (hold?.kind === 'Finish' && extra-- <= 0) continue;
    due.add(machine);
  }
  const inPlaceWidth = Math.max(1, limits.maxUnavailable);
  const width = strategy === 'InPlace' ? inPlaceWidth : Math.max(1, limits.maxSurge + limits.maxUnavailable);
  const room = (isProven ? width : 1) - inProgressCount - due.size;
  const next = outdated
    .filter(({ machine, hold }) => hold === undefined && !due.has(machine))
    .toSorted(compareRolloutOrder);
  for (const { machine } of next.slice(0, Math.max(room, 0))) due.add(machine);
  return due;
}

/** Machines that do not work come first, then those marked for deletion by a user, then the oldest version, then the oldest machine. */
export function compareRolloutOrder({ machine: a }: UpdateCandidate, { machine: b }: UpdateCandidate): number {
  const isMarked = ({ metadata }: Machine) => metadata.annotations?.[DELETE_FIRST_ANNOTATION] !== undefined;
  return (
    Number(isAvailable(a)) - Number(isAvailable(b)) ||
    Number(isMarked(b)) - Number(isMarked(a)) ||
    compareVersions(a.spec.version, b.spec.version) ||
    (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? '') ||
    (a.metadata.name ?? '').localeCompare(b.metadata.name ?? '')
  );
}

function markOf(
  { machine, cause, hold }: UpdateCandidate,
  isDue: boolean,
  { strategy, nowMs }: PoolFacts,
): RenewalMark {
  const last = machine.status?.marks?.renewal;
  const reason = isDue || hold === undefined ? ConditionReason.Updating : hold.reason;
  const turn = hold === undefined ? 'queued' : hold.message;
  return {
    due: isDue,
    reason,
    message: truncate(isDue ? cause.difference : `${cause.difference}; ${turn}`),
    time: last !== undefined && last.due === isDue && last.reason === reason ? last.time : formatTime(nowMs),
    // Some clouds cannot reinstall the volume that a server boots from.
    strategy: cause.change === 'replace' || machine.status?.installed?.canReinstall === false ? 'Rolling' : strategy,
  };
}

interface WaitFacts {
  readonly outdated: readonly UpdateCandidate[];
  readonly renewed: readonly Machine[];
  readonly leaving: readonly Machine[];
  readonly isWorking: boolean;
  readonly poolHold: Hold | undefined;
}

function upgradeWaitOf(
  facts: PoolFacts,
  { outdated, renewed, leaving, isWorking, poolHold }: WaitFacts,
): Problem | undefined {
  if (poolHold) return problemOf(poolHold);
  if (!isWorking) {
    const hold = outdated.find((each) => each.hold !== undefined)?.hold;
    return hold && problemOf(hold);
  }
  for (const machine of [...renewed, ...leaving]) {
    const problem = machineProblem(machine);
    if (problem) return problem;
  }
  const { limits, room, strategy } = facts;
  const needsRoom = strategy === 'Rolling' && limits.maxUnavailable === 0 && outdated.length > 0;
  const isFull = room <= 0 && leaving.length === 0 && renewed.every(isAvailable) && outdated.every(isUp);
  if (!needsRoom || !isFull || outdated.length + renewed.length > facts.replicas) return undefined;
  const message = `a new node is created before an old one is deleted, and the cluster has reached its node limit with ${pluralize(facts.replicas, 'node')} in this pool: scale down a pool, or set spec.upgradeStrategy.maxUnavailable to 1`;
  return { reason: ConditionReason.PlanLimitExceeded, message };
}

function isUp({ machine }: UpdateCandidate): boolean {
  return isAvailable(machine);
}

function problemOf({ reason, message }: Hold): Problem {
  return { reason, message };
}

interface StateFacts extends Pick<WaitFacts, 'renewed' | 'isWorking' | 'poolHold'> {
  readonly pending: number;
  readonly last: PoolUpgrade | undefined;
  readonly name: string;
}

function stateOf({ pending, renewed, isWorking, poolHold, last, name }: StateFacts): PoolUpgrade['state'] {
  const isComplete = last?.target === name && last.state === 'Complete';
  if (pending === 0 && (isComplete || renewed.every(isAvailable))) return 'Complete';
  const stopped = STOPPED_STATES.get(poolHold?.reason);
  return stopped ?? (isWorking || pending === 0 ? 'Running' : 'Waiting');
}

const STOPPED_STATES: ReadonlyMap<ConditionReason | undefined, PoolUpgrade['state']> = new Map([
  [ConditionReason.UpgradeAborted, 'Aborted'],
  [ConditionReason.UpgradePaused, 'Paused'],
  [ConditionReason.UpgradeHalted, 'Halted'],
] as const);
