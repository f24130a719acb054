import { isDeepStrictEqual } from 'node:util';
import type { MachineSpec } from '../kinds/machine.ts';
import { settingsDigest } from './node-settings.ts';
import { areNetworksEqual } from './pool-networks.ts';

/** The settings shared by a pool's machines, with names resolved. */
export type MachineTemplate = Pick<
  MachineSpec,
  'flavor' | 'image' | 'version' | 'rootVolume' | 'networks' | 'floatingIP' | 'authorityGeneration' | 'nodeSettings'
>;

/** The desired state of a pool's machines. */
export interface DesiredMachine extends MachineTemplate {
  /** Allowed zones. If empty, any zone. */
  readonly zones: readonly string[];
  /** Other identifiers of the flavor: its ID or name. Machines keep the identifier that they were created with. */
  readonly flavorIdentifiers?: readonly string[];
  /** The cluster reset after which the machines are created; see `spec.resetTime` of a Machine. */
  readonly resetTime?: MachineSpec['resetTime'];
}

/**
 * How to bring a machine up to date with its pool's template. `none`: up to date. `inPlace`: without changing the
 * server's disk (the floating IP). `reinstall`: the same server with a new system (image, version, certificate
 * authorities, node settings), or a new server, depending on the pool's strategy. `replace`: always a new server
 * (flavor, root volume, networks, zone). Labels, annotations and taints are synced to nodes continuously and are not
 * considered here.
 */
export type MachineChange = 'none' | 'inPlace' | 'reinstall' | 'replace';

export function machineChange(
  desired: DesiredMachine,
  machine: MachineTemplate & Pick<MachineSpec, 'zone'>,
): MachineChange {
  const isServerNew = isOtherFlavor(desired, machine) || !isDeepStrictEqual(desired.rootVolume, machine.rootVolume);
  if (isServerNew || isInOtherZone(desired, machine)) return 'replace';
  if (!areNetworksEqual(desired.networks, machine.networks)) return 'replace';
  if (desired.image !== machine.image || desired.version !== machine.version) return 'reinstall';
  if (generationOf(desired) !== generationOf(machine)) return 'reinstall';
  if (settingsDigest(desired) !== settingsDigest(machine)) return 'reinstall';
  return desired.floatingIP === machine.floatingIP ? 'none' : 'inPlace';
}

/** Whether the machine has a different flavor, not just a different identifier for the same one. */
export function isOtherFlavor(
  { flavor, flavorIdentifiers = [] }: Pick<DesiredMachine, 'flavor' | 'flavorIdentifiers'>,
  machine: Pick<MachineSpec, 'flavor'>,
): boolean {
  return flavor !== machine.flavor && !flavorIdentifiers.includes(machine.flavor);
}

/** Nothing is recorded for the first certificate authorities. */
export function generationOf({ authorityGeneration = 0 }: Pick<MachineSpec, 'authorityGeneration'>): number {
  return authorityGeneration;
}

/** Whether the machine is in a zone that the pool does not list. */
export function isInOtherZone({ zones }: Pick<DesiredMachine, 'zones'>, { zone }: Pick<MachineSpec, 'zone'>): boolean {
  return zones.length > 0 && (zone === undefined || !zones.includes(zone));
}

/** Whether the machine needs to be reinstalled or replaced; if so, it does not count towards `updatedReplicas`. */
export function isOutdated(desired: DesiredMachine, machine: MachineTemplate & Pick<MachineSpec, 'zone'>): boolean {
  const change = machineChange(desired, machine);
  return change === 'reinstall' || change === 'replace';
}
