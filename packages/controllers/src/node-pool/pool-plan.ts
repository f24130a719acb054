import { EXTERNAL_AUTOSCALER } from '@fairway/api/domain/external-autoscaler';
import { placeMachines } from '@fairway/api/domain/node-placement';
import type { RolloutLimits } from '@fairway/api/domain/rollout-limits';
import { chooseRemovals } from '@fairway/api/domain/scale-down';
import { type DesiredMachine, isOutdated, machineChange } from '@fairway/api/domain/template-change';
import { DELETE_FIRST_ANNOTATION } from '@fairway/api/group';
import type { Machine, MachineSpec } from '@fairway/api/kinds/machine';
import {
  isAvailable,
  isBeingReinstalled,
  isBroken,
  isCurrentMark,
  isServerGone,
  isStarting,
  lacksCapacity,
} from './availability.ts';

export interface DesiredPool {
  readonly replicas: number;
  readonly desired: DesiredMachine;
  readonly limits: RolloutLimits;
  /** How many more machines the cluster may have; negative if it has too many. */
  readonly room: number;
  /**
   * Whether nodes may be drained for an update: not while the cluster's API server, which a drain needs, is
   * unreachable.
   */
  readonly isUpdatePossible: boolean;
  /** Whether the plan allows machines like `desired` at all. */
  readonly isAllowed: boolean;
  /** Whether servers from before a reset are reinstalled; otherwise they are deleted. */
  readonly isReinstalledAfterReset?: boolean;
}

/** The part of a pool that determines which machines are surplus. */
type SizedPool = Pick<DesiredPool, 'replicas' | 'limits'> & Partial<Pick<DesiredPool, 'desired'>>;

/** Changes to machines that are not deleted. */
export type MachineUpdate = Partial<
  Pick<
    MachineSpec,
    | 'image'
    | 'version'
    | 'authorityGeneration'
    | 'nodeSettings'
    | 'floatingIP'
    | 'reinstallTime'
    | 'onDrainTimeout'
    | 'resetTime'
  >
>;

interface MachineChange {
  readonly machine: Machine;
  readonly spec: MachineUpdate;
  /** Whether the machine's node is unavailable for a while. */
  readonly isReinstall: boolean;
}

export interface PoolPlan {
  /** Zones of the machines to create. */
  readonly create: readonly { readonly zone: string | undefined }[];
  readonly remove: readonly Machine[];
  /** The machines among them that are deleted for an update: their drain may wait for the user. */
  readonly renewed: readonly Machine[];
  /** Changes to machines that are not deleted. */
  readonly update: readonly MachineChange[];
}

/**
 * Which machines in a pool need to be created, deleted or changed. Machines being deleted do not count: a deleted
 * machine is replaced, and deleting one while scaling the pool down by one removes only that one. Marks record who
 * requested what; the size takes precedence, then repairs, then updates
 * (docs/decisions/0037-who-decides-about-machines.md).
 */
export function planPool(pool: DesiredPool, machines: readonly Machine[]): PoolPlan {
  const present = machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const lost = present.filter((machine) => isReplacedByReset(pool, machine));
  const staying = present.filter((machine) => !lost.includes(machine)).map((each) => forgetMarks(pool, each));
  const surplus = surplusMachines(pool, staying, (others) => extraMachines(pool, others));
  const sized = staying.filter((machine) => !surplus.includes(machine));
  const replaced = replacedMachines(pool, sized);
  const left = sized.filter((machine) => !replaced.includes(machine));
  const missing = pool.replicas + extraMachines(pool, left) - left.length;
  const going = left
    .filter((machine) => replacementCause(pool, machine))
    .slice(0, Math.max(left.length + missing - pool.replicas, 0));
  // The new machine is in the zone of the old one, unless the pool no longer uses that zone: a temporary surge must not
  // unbalance the zones.
  const zones = placeMachines(
    pool.desired.zones,
    left.filter((machine) => !going.includes(machine)).map(({ spec }) => spec.zone),
    Math.max(missing, 0),
  );
  return {
    create: zones.map((zone) => ({ zone })),
    remove: [...lost, ...surplus, ...replaced],
    renewed: replaced.filter((machine) => replacementCause(pool, machine) === 'renewal'),
    update: [...updatesOf(pool, left), ...releasedHolds(pool, left)],
  };
}

/**
 * Machines that should have been deleted for an update but are not: they must not be held if they are deleted for
 * another reason.
 */
function releasedHolds(pool: DesiredPool, machines: readonly Machine[]): readonly MachineChange[] {
  return machines
    .filter((machine) => machine.spec.onDrainTimeout === 'Hold' && replacementCause(pool, machine) !== 'renewal')
    .map((machine) => ({ machine, spec: { onDrainTimeout: 'Force' as const }, isReinstall: false }));
}

/**
 * Which machines are surplus while the template cannot be resolved: the cloud is unreachable, or no longer has the
 * image. No machine is created then, so there is no surge either, except for machines that are already becoming nodes
 * as replacements: a transient failure of the cloud is not a reason to start over.
 */
export function planShrinking(pool: SizedPool, machines: readonly Machine[]): readonly Machine[] {
  const staying = machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return surplusMachines(pool, staying, (others) => {
    const replaced = others.filter(isMarkedForAnother).length;
    return Math.min(replaced, others.filter(isStarting).length);
  });
}

function isMarkedForAnother(machine: Machine): boolean {
  const { repair, renewal } = machine.status?.marks ?? {};
  return (repair?.due && repair.strategy === 'Replace') || (renewal?.due === true && renewal.strategy === 'Rolling');
}

/** Whether the machine dates from before a reset of the cluster. */
function predatesReset({ desired }: DesiredPool, { spec }: Machine): boolean {
  return spec.resetTime !== desired.resetTime;
}

/**
 * Whether a machine from before a reset cannot be kept: its server should be deleted, or cannot be reinstalled, or its
 * installed state is unknown.
 */
function isReplacedByReset(pool: DesiredPool, machine: Machine): boolean {
  if (!predatesReset(pool, machine)) return false;
  const { installed } = machine.status ?? {};
  const isReinstallable =
    installed !== undefined &&
    installed.canReinstall !== false &&
    machineChange(pool.desired, machine.spec) !== 'replace';
  return !pool.isReinstalledAfterReset || !isReinstallable;
}

/** The machine without decisions from before a reset: they no longer apply, even while its marks still exist. */
function forgetMarks(pool: DesiredPool, machine: Machine): Machine {
  const { marks } = machine.status ?? {};
  if (marks === undefined) return machine;
  if (predatesReset(pool, machine)) return { ...machine, status: { ...machine.status, marks: undefined } };
  if (marks.repair === undefined || isCurrentMark(machine, marks.repair)) return machine;
  return { ...machine, status: { ...machine.status, marks: { ...marks, repair: undefined } } };
}

/** Why a replacement must be created before the machine is deleted; undefined if none is needed. */
function replacementCause({ desired }: DesiredPool, { spec, status }: Machine): 'repair' | 'renewal' | undefined {
  const { repair, renewal } = status?.marks ?? {};
  const isOther = machineChange(desired, spec) === 'replace' || status?.installed?.canReinstall === false;
  if (repair?.due && (repair.strategy === 'Replace' || isOther)) return 'repair';
  if (renewal?.due && (renewal.strategy === 'Rolling' || isOther)) return 'renewal';
  return undefined;
}

/** How many machines may exist beyond the current size: one for each repair, and as many as allowed for updates. */
function extraMachines(pool: DesiredPool, machines: readonly Machine[]): number {
  const plannedChanges = machines
    .filter((machine) => !isServerGone(machine))
    .map((machine) => replacementCause(pool, machine));
  const repairs = plannedChanges.filter((planned) => planned === 'repair').length;
  const renewals = plannedChanges.filter((planned) => planned === 'renewal').length;
  const room = Math.max(machines.length - pool.replicas, 0) + (pool.isAllowed ? Math.max(pool.room, 0) : 0);
  return Math.min(repairs + Math.min(renewals, pool.limits.maxSurge), room);
}

/**
 * Surplus machines, independent of repairs and updates; those marked by a user are deleted even while a repair needs an
 * extra machine.
 */
function surplusMachines(
  pool: SizedPool,
  staying: readonly Machine[],
  extra: (others: readonly Machine[]) => number,
): readonly Machine[] {
  const over = Math.max(staying.length - pool.replicas, 0);
  const marked = staying
    .filter((machine) => isMarked(machine) && !neededUntilReady(pool, machine, staying))
    .slice(0, over);
  const others = staying.filter((machine) => !marked.includes(machine));
  const excess = others.length - pool.replicas - extra(others);
  if (excess <= 0) return marked;
  const candidates = others.map((machine) => ({
    machine,
    name: machine.metadata.name ?? '',
    zone: machine.spec.zone,
    isBeingDeleted: false,
    isMarked: isMarked(machine) || isSelectedByTenant(machine),
    isRepairDue: machine.status?.marks?.repair?.due === true,
    isBroken: isBroken(machine),
    isUpdateDue: machine.status?.marks?.renewal?.due === true,
    isAvailable: isAvailable(machine),
    isUnneeded: machine.status?.marks?.unneeded?.due === true,
    isUpToDate: pool.desired === undefined || !isOutdated(pool.desired, machine.spec),
    createdMs: Date.parse(machine.metadata.creationTimestamp ?? ''),
  }));
  return [...marked, ...chooseRemovals(candidates, excess, pool.replicas).map(({ machine }) => machine)];
}

/** Whether a user has marked the machine to be deleted first. */
function isMarked({ metadata }: Machine): boolean {
  return metadata.annotations?.[DELETE_FIRST_ANNOTATION] !== undefined;
}

/** Whether the machine is needed until one that is being created has become a node. */
function neededUntilReady({ replicas, limits }: SizedPool, machine: Machine, machines: readonly Machine[]): boolean {
  const available = machines.filter(isAvailable).length;
  return isAvailable(machine) && machines.some(isStarting) && available - 1 < replicas - limits.maxUnavailable;
}

/** Machines whose replacement is available, or that must be deleted before a replacement can be created. */
function replacedMachines(pool: DesiredPool, machines: readonly Machine[]): readonly Machine[] {
  const needed = pool.replicas - pool.limits.maxUnavailable;
  let available = machines.filter(isAvailable).length;
  let size = machines.length;
  const canDelete = (machine: Machine): boolean => {
    if (!pool.isAllowed) return false;
    if (replacementCause(pool, machine) === 'renewal') {
      return pool.isUpdatePossible && (!isAvailable(machine) || available - 1 >= needed);
    }
    if (isServerGone(machine) || lacksRoom(pool, machines)) return true;
    return size > pool.replicas && !machines.some((other) => isStarting(other) && other !== machine);
  };
  const replaced: Machine[] = [];
  for (const machine of machines.filter((each) => replacementCause(pool, each)).toSorted(compareUrgency)) {
    if (!canDelete(machine)) continue;
    replaced.push(machine);
    size--;
    if (isAvailable(machine)) available--;
  }
  return replaced;
}

/**
 * Whether no new server can be created in addition to the unhealthy one, so that the unhealthy one must be deleted
 * first.
 */
function lacksRoom({ room, replicas }: DesiredPool, machines: readonly Machine[]): boolean {
  return machines.some(lacksCapacity) || (room === 0 && machines.length <= replicas);
}

/** Repairs first, then machines whose node is not available. */
function compareUrgency(a: Machine, b: Machine): number {
  const urgency = (machine: Machine) => (machine.status?.marks?.repair?.due ? 2 : 0) + (isAvailable(machine) ? 0 : 1);
  return urgency(b) - urgency(a) || (a.metadata.name ?? '').localeCompare(b.metadata.name ?? '');
}

function updatesOf(pool: DesiredPool, machines: readonly Machine[]): MachineChange[] {
  const { desired, limits, replicas } = pool;
  const { image, version, authorityGeneration, nodeSettings, floatingIP } = desired;
  const disk = { image, version, nodeSettings, ...(authorityGeneration !== undefined && { authorityGeneration }) };
  // In-place updates have no surge: without one unavailable node nothing would ever be updated.
  const needed = replicas - Math.max(1, limits.maxUnavailable);
  let available = machines.filter(isAvailable).length;
  return machines.toSorted(compareUrgency).flatMap((machine): MachineChange[] => {
    const change = machineChange(desired, machine.spec);
    // None of them is a node any longer, so any number can be reinstalled.
    if (predatesReset(pool, machine) && desired.resetTime !== undefined) {
      const { resetTime } = desired;
      return [{ machine, spec: { ...disk, floatingIP, resetTime, reinstallTime: resetTime }, isReinstall: true }];
    }
    if (replacementCause(pool, machine) !== undefined || change === 'replace') return [];
    const { repair, renewal } = machine.status?.marks ?? {};
    if (repair?.due) {
      if (machine.spec.reinstallTime === repair.time) return [];
      return [{ machine, spec: { ...disk, floatingIP, reinstallTime: repair.time }, isReinstall: true }];
    }
    if (renewal?.due && change === 'reinstall') {
      if (!pool.isUpdatePossible) return [];
      const wouldBreakMinimum = isAvailable(machine) && available - 1 < needed;
      if (wouldBreakMinimum || isBeingReinstalled(machine)) return [];
      if (isAvailable(machine)) available--;
      return [{ machine, spec: { ...disk, floatingIP }, isReinstall: true }];
    }
    return change === 'inPlace' ? [{ machine, spec: { floatingIP }, isReinstall: false }] : [];
  });
}

/**
 * Whether an external autoscaler has selected the node for deletion; the autoscaler has already moved the node's pods.
 */
function isSelectedByTenant({ status }: Machine): boolean {
  const mark = status?.marks?.unneeded;
  return mark?.due === true && mark.reason === EXTERNAL_AUTOSCALER;
}
