import { EXTERNAL_AUTOSCALER } from '@fairway/api/domain/external-autoscaler';
import { placeMachines } from '@fairway/api/domain/node-placement';
import type { RenewalLimits } from '@fairway/api/domain/renewal-limits';
import { chooseRemovals } from '@fairway/api/domain/scale-down';
import { type DesiredMachine, isOutdated, machineChange } from '@fairway/api/domain/template-change';
import { DELETE_FIRST_ANNOTATION } from '@fairway/api/group';
import type { Machine, MachineSpec } from '@fairway/api/kinds/machine';
import {
  isAvailable,
  isBeingReinstalled,
  isBroken,
  isMarkOfNow,
  isServerGone,
  isStarting,
  isStarved,
} from './availability.ts';

export interface DesiredPool {
  readonly replicas: number;
  readonly desired: DesiredMachine;
  readonly limits: RenewalLimits;
  /** How many machines more the cluster may have than it has; negative if it has too many. */
  readonly room: number;
  /** Whether nodes may be taken to renew them: not while the cluster's API server is away, which a drain needs. */
  readonly mayRenew: boolean;
  /** Whether the plan allows machines like `desired` at all. */
  readonly isAllowed: boolean;
  /** Whether servers of before a reset are installed anew; else they go. */
  readonly isReinstalledAfterReset?: boolean;
}

/** A pool as far as it matters to which machines are too many. */
type SizedPool = Pick<DesiredPool, 'replicas' | 'limits'> & Partial<Pick<DesiredPool, 'desired'>>;

/** What is written to a machine that stays. */
export type MachineUpdate = Partial<
  Pick<
    MachineSpec,
    'image' | 'version' | 'authorityGeneration' | 'floatingIP' | 'reinstallTime' | 'onDrainTimeout' | 'resetTime'
  >
>;

interface MachineChange {
  readonly machine: Machine;
  readonly spec: MachineUpdate;
  /** Its node is away for a while. */
  readonly isReinstall: boolean;
}

export interface PoolPlan {
  /** Zones of the machines to create. */
  readonly create: readonly { readonly zone: string | undefined }[];
  readonly remove: readonly Machine[];
  /** Those of them that go because they are renewed: their drain may wait for the user. */
  readonly renewed: readonly Machine[];
  /** For those that stay. */
  readonly update: readonly MachineChange[];
}

/**
 * Which machines a pool has to add, remove or change. Machines being deleted do not count: deleting one gets it replaced, and deleting one while shrinking
 * the pool by one removes only that one. Who wished for what is in their marks; first comes the size, then repairs, then renewals
 * (docs/decisions/0037-who-decides-about-machines.md).
 */
export function planPool(pool: DesiredPool, machines: readonly Machine[]): PoolPlan {
  const present = machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const lost = present.filter((machine) => isLostToReset(pool, machine));
  const staying = present.filter((machine) => !lost.includes(machine)).map((each) => forgetMarks(pool, each));
  const superfluous = superfluousOf(pool, staying, (others) => extraOf(pool, others));
  const sized = staying.filter((machine) => !superfluous.includes(machine));
  const replaced = replacedOf(pool, sized);
  const left = sized.filter((machine) => !replaced.includes(machine));
  const missing = pool.replicas + extraOf(pool, left) - left.length;
  const going = left
    .filter((machine) => isToReplace(pool, machine))
    .slice(0, Math.max(left.length + missing - pool.replicas, 0));
  // The new one is where the old one is, unless the pool has left that zone: what is extra for a while must not leave the zones uneven.
  const zones = placeMachines(
    pool.desired.zones,
    left.filter((machine) => !going.includes(machine)).map(({ spec }) => spec.zone),
    Math.max(missing, 0),
  );
  return {
    create: zones.map((zone) => ({ zone })),
    remove: [...lost, ...superfluous, ...replaced],
    renewed: replaced.filter((machine) => isToReplace(pool, machine) === 'renewal'),
    update: [...updatesOf(pool, left), ...unheldOf(pool, left)],
  };
}

/** Those that were to go for a renewal, and stay after all, are not held when they go for another reason. */
function unheldOf(pool: DesiredPool, machines: readonly Machine[]): readonly MachineChange[] {
  return machines
    .filter((machine) => machine.spec.onDrainTimeout === 'Hold' && isToReplace(pool, machine) !== 'renewal')
    .map((machine) => ({ machine, spec: { onDrainTimeout: 'Force' as const }, isReinstall: false }));
}

/**
 * Which machines are too many, while nobody knows what new ones would be: the cloud is away, or has the image no more. None is made then, so nothing is extra
 * either, but those that are becoming nodes in the place of others: a cloud that fails for a moment is no reason to begin with them again.
 */
export function planShrinking(pool: SizedPool, machines: readonly Machine[]): readonly Machine[] {
  const staying = machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return superfluousOf(pool, staying, (others) => {
    const replaced = others.filter(isMarkedForAnother).length;
    return Math.min(replaced, others.filter(isStarting).length);
  });
}

function isMarkedForAnother(machine: Machine): boolean {
  const { repair, renewal } = machine.status?.marks ?? {};
  return (repair?.due && repair.strategy === 'Replace') || (renewal?.due === true && renewal.strategy === 'Rolling');
}

/** Whether it belongs to the cluster of before a reset. */
function isBeforeReset({ desired }: DesiredPool, { spec }: Machine): boolean {
  return spec.resetTime !== desired.resetTime;
}

/** Whether a machine of before a reset can't come along: its server is to go, or can't be installed anew, or nobody knows what it is installed with. */
function isLostToReset(pool: DesiredPool, machine: Machine): boolean {
  if (!isBeforeReset(pool, machine)) return false;
  const { installed } = machine.status ?? {};
  const isReinstallable =
    installed !== undefined &&
    installed.canReinstall !== false &&
    machineChange(pool.desired, machine.spec) !== 'replace';
  return !pool.isReinstalledAfterReset || !isReinstallable;
}

/** What was to become of a machine in the cluster of before a reset is no matter any more, also while its marks are still there. */
function forgetMarks(pool: DesiredPool, machine: Machine): Machine {
  const { marks } = machine.status ?? {};
  if (marks === undefined) return machine;
  if (isBeforeReset(pool, machine)) return { ...machine, status: { ...machine.status, marks: undefined } };
  if (marks.repair === undefined || isMarkOfNow(machine, marks.repair)) return machine;
  return { ...machine, status: { ...machine.status, marks: { ...marks, repair: undefined } } };
}

/** Whether a new machine is to be made for it before it goes. */
function isToReplace({ desired }: DesiredPool, { spec, status }: Machine): 'repair' | 'renewal' | undefined {
  const { repair, renewal } = status?.marks ?? {};
  const isOther = machineChange(desired, spec) === 'replace' || status?.installed?.canReinstall === false;
  if (repair?.due && (repair.strategy === 'Replace' || isOther)) return 'repair';
  if (renewal?.due && (renewal.strategy === 'Rolling' || isOther)) return 'renewal';
  return undefined;
}

/** How many machines there may be beyond the size now: one for each that is being repaired, as many as allowed for those being renewed. */
function extraOf(pool: DesiredPool, machines: readonly Machine[]): number {
  const wishes = machines.filter((machine) => !isServerGone(machine)).map((machine) => isToReplace(pool, machine));
  const repairs = wishes.filter((wish) => wish === 'repair').length;
  const renewals = wishes.filter((wish) => wish === 'renewal').length;
  const room = Math.max(machines.length - pool.replicas, 0) + (pool.isAllowed ? Math.max(pool.room, 0) : 0);
  return Math.min(repairs + Math.min(renewals, pool.limits.maxSurge), room);
}

/** Those that are too many, whoever is to be repaired or renewed; what a person has marked goes even while a repair needs one more. */
function superfluousOf(
  pool: SizedPool,
  staying: readonly Machine[],
  extra: (others: readonly Machine[]) => number,
): readonly Machine[] {
  const over = Math.max(staying.length - pool.replicas, 0);
  const marked = staying.filter((machine) => isMarked(machine) && !isAwaited(pool, machine, staying)).slice(0, over);
  const others = staying.filter((machine) => !marked.includes(machine));
  const excess = others.length - pool.replicas - extra(others);
  if (excess <= 0) return marked;
  const candidates = others.map((machine) => ({
    machine,
    name: machine.metadata.name ?? '',
    zone: machine.spec.zone,
    isBeingDeleted: false,
    isMarked: isMarked(machine) || isChosenByTenant(machine),
    isRepairDue: machine.status?.marks?.repair?.due === true,
    isBroken: isBroken(machine),
    isRenewalDue: machine.status?.marks?.renewal?.due === true,
    isAvailable: isAvailable(machine),
    isUnneeded: machine.status?.marks?.unneeded?.due === true,
    isUpToDate: pool.desired === undefined || !isOutdated(pool.desired, machine.spec),
    createdMs: Date.parse(machine.metadata.creationTimestamp ?? ''),
  }));
  return [...marked, ...chooseRemovals(candidates, excess, pool.replicas).map(({ machine }) => machine)];
}

/** By a person, to be removed first. */
function isMarked({ metadata }: Machine): boolean {
  return metadata.annotations?.[DELETE_FIRST_ANNOTATION] !== undefined;
}

/** Whether the machine is needed until one that is being made has become a node. */
function isAwaited({ replicas, limits }: SizedPool, machine: Machine, machines: readonly Machine[]): boolean {
  const available = machines.filter(isAvailable).length;
  return isAvailable(machine) && machines.some(isStarting) && available - 1 < replicas - limits.maxUnavailable;
}

/** Those whose replacement is there, or that must go before there can be one. */
function replacedOf(pool: DesiredPool, machines: readonly Machine[]): readonly Machine[] {
  const needed = pool.replicas - pool.limits.maxUnavailable;
  let available = machines.filter(isAvailable).length;
  let size = machines.length;
  const goes = (machine: Machine): boolean => {
    if (!pool.isAllowed) return false;
    if (isToReplace(pool, machine) === 'renewal') {
      return pool.mayRenew && (!isAvailable(machine) || available - 1 >= needed);
    }
    if (isServerGone(machine) || isWithoutRoom(pool, machines)) return true;
    return size > pool.replicas && !machines.some((other) => isStarting(other) && other !== machine);
  };
  const replaced: Machine[] = [];
  for (const machine of machines.filter((each) => isToReplace(pool, each)).toSorted(byUrgency)) {
    if (!goes(machine)) continue;
    replaced.push(machine);
    size--;
    if (isAvailable(machine)) available--;
  }
  return replaced;
}

/** Whether no new server can be made beside the broken one: its own makes room. */
function isWithoutRoom({ room, replicas }: DesiredPool, machines: readonly Machine[]): boolean {
  return machines.some(isStarved) || (room === 0 && machines.length <= replicas);
}

/** Repairs first, then what costs no available node. */
function byUrgency(a: Machine, b: Machine): number {
  const urgency = (machine: Machine) => (machine.status?.marks?.repair?.due ? 2 : 0) + (isAvailable(machine) ? 0 : 1);
  return urgency(b) - urgency(a) || (a.metadata.name ?? '').localeCompare(b.metadata.name ?? '');
}

function updatesOf(pool: DesiredPool, machines: readonly Machine[]): MachineChange[] {
  const { desired, limits, replicas } = pool;
  const { image, version, authorityGeneration, floatingIP } = desired;
  const disk = { image, version, ...(authorityGeneration !== undefined && { authorityGeneration }) };
  // There is no surge in place: without a gap nothing would ever be renewed.
  const needed = replicas - Math.max(1, limits.maxUnavailable);
  let available = machines.filter(isAvailable).length;
  return machines.toSorted(byUrgency).flatMap((machine): MachineChange[] => {
    const change = machineChange(desired, machine.spec);
    // None of them is a node any more: there is nothing to go easy on.
    if (isBeforeReset(pool, machine) && desired.resetTime !== undefined) {
      const { resetTime } = desired;
      return [{ machine, spec: { ...disk, floatingIP, resetTime, reinstallTime: resetTime }, isReinstall: true }];
    }
    if (isToReplace(pool, machine) !== undefined || change === 'replace') return [];
    const { repair, renewal } = machine.status?.marks ?? {};
    if (repair?.due) {
      if (machine.spec.reinstallTime === repair.time) return [];
      return [{ machine, spec: { ...disk, floatingIP, reinstallTime: repair.time }, isReinstall: true }];
    }
    if (renewal?.due && change === 'reinstall') {
      if (!pool.mayRenew) return [];
      const isMissed = isAvailable(machine) && available - 1 < needed;
      if (isMissed || isBeingReinstalled(machine)) return [];
      if (isAvailable(machine)) available--;
      return [{ machine, spec: { ...disk, floatingIP }, isReinstall: true }];
    }
    return change === 'inPlace' ? [{ machine, spec: { floatingIP }, isReinstall: false }] : [];
  });
}

/** A tenant's own autoscaler names the nodes that go: it has moved their pods. */
function isChosenByTenant({ status }: Machine): boolean {
  const mark = status?.marks?.unneeded;
  return mark?.due === true && mark.reason === EXTERNAL_AUTOSCALER;
}
