import { placeMachines } from '@fairway/api/domain/node-placement';
import { chooseRemovals } from '@fairway/api/domain/scale-down';
import { type DesiredMachine, isOutdated, machineChange } from '@fairway/api/domain/template-change';
import { DELETE_FIRST_ANNOTATION } from '@fairway/api/group';
import type { Machine } from '@fairway/api/kinds/machine';

export interface DesiredPool {
  readonly replicas: number;
  readonly zones: readonly string[];
  readonly desired: DesiredMachine;
}

export interface PoolPlan {
  /** Zones of the machines to create. */
  readonly create: readonly { readonly zone: string | undefined }[];
  readonly remove: readonly Machine[];
  /** Those that stay and are to be changed without a new server. */
  readonly changeInPlace: readonly Machine[];
}

/**
 * Which machines a pool has to add, remove or change. Machines being deleted do not count: deleting one gets it replaced, and deleting
 * one while shrinking the pool by one removes only that one.
 */
export function planPool(desired: DesiredPool, machines: readonly Machine[]): PoolPlan {
  const staying = machines.filter((machine) => machine.metadata.deletionTimestamp === undefined);
  const changeInPlace = staying.filter(({ spec }) => machineChange(desired.desired, spec) === 'inPlace');
  const missing = desired.replicas - staying.length;
  if (missing > 0) {
    const zones = placeMachines(
      desired.zones,
      staying.map(({ spec }) => spec.zone),
      missing,
    );
    return { create: zones.map((zone) => ({ zone })), remove: [], changeInPlace };
  }
  const candidates = staying.map((machine) => ({
    machine,
    name: machine.metadata.name ?? '',
    zone: machine.spec.zone,
    isBeingDeleted: false,
    isMarked: machine.metadata.annotations?.[DELETE_FIRST_ANNOTATION] !== undefined,
    isHealthy: machine.status?.phase === 'Ready',
    isUpToDate: !isOutdated(desired.desired, machine.spec),
    createdMs: Date.parse(machine.metadata.creationTimestamp ?? ''),
  }));
  const remove = chooseRemovals(candidates, -missing).map(({ machine }) => machine);
  return { create: [], remove, changeInPlace: changeInPlace.filter((machine) => !remove.includes(machine)) };
}
