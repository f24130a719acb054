import { isDeepStrictEqual } from 'node:util';
import type { MachineSpec } from '../kinds/machine.ts';

/** What all machines of a pool have in common, with names resolved. */
export type MachineTemplate = Pick<
  MachineSpec,
  'flavor' | 'image' | 'version' | 'rootVolume' | 'floatingIP' | 'authorityGeneration'
>;

/** The desired state of a pool's machines. */
export interface DesiredMachine extends MachineTemplate {
  /** Where they may be. Empty: wherever they are. */
  readonly zones: readonly string[];
  /** What else the cloud knows the flavor by: its id, its name. Machines keep the word that they were made with. */
  readonly flavorSpellings?: readonly string[];
  /** Which reset of the cluster they are made after; see `spec.resetTime` of a Machine. */
  readonly resetTime?: MachineSpec['resetTime'];
}

/**
 * How to update a machine to its pool's template. `none`: up to date. `inPlace`: without changing the server's disk (the floating
 * IP). `reinstall`: the same server with a new system (image, version, certificate authorities), or a new server if the pool's strategy says so.
 * `replace`: always a new server (flavor, root volume, zone). Labels, annotations and taints are synced to nodes continuously
 * and are not considered here.
 */
export type MachineChange = 'none' | 'inPlace' | 'reinstall' | 'replace';

export function machineChange(
  desired: DesiredMachine,
  machine: MachineTemplate & Pick<MachineSpec, 'zone'>,
): MachineChange {
  const isServerNew = isOtherFlavor(desired, machine) || !isDeepStrictEqual(desired.rootVolume, machine.rootVolume);
  if (isServerNew || isElsewhere(desired, machine)) return 'replace';
  if (desired.image !== machine.image || desired.version !== machine.version) return 'reinstall';
  if (generationOf(desired) !== generationOf(machine)) return 'reinstall';
  return desired.floatingIP === machine.floatingIP ? 'none' : 'inPlace';
}

/** Whether the machine is of another flavor, rather than of the same one in another word. */
export function isOtherFlavor(
  { flavor, flavorSpellings = [] }: Pick<DesiredMachine, 'flavor' | 'flavorSpellings'>,
  machine: Pick<MachineSpec, 'flavor'>,
): boolean {
  return flavor !== machine.flavor && !flavorSpellings.includes(machine.flavor);
}

/** Of the first certificate authorities nothing is written. */
export function generationOf({ authorityGeneration = 0 }: Pick<MachineSpec, 'authorityGeneration'>): number {
  return authorityGeneration;
}

/** Whether the machine is in a zone that the pool does not name, or does not name any more. */
export function isElsewhere({ zones }: Pick<DesiredMachine, 'zones'>, { zone }: Pick<MachineSpec, 'zone'>): boolean {
  return zones.length > 0 && (zone === undefined || !zones.includes(zone));
}

/** Whether the machine must be reinstalled or replaced; if so, `updatedReplicas` does not count it. */
export function isOutdated(desired: DesiredMachine, machine: MachineTemplate & Pick<MachineSpec, 'zone'>): boolean {
  const change = machineChange(desired, machine);
  return change === 'reinstall' || change === 'replace';
}
