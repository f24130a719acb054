import { isDeepStrictEqual } from 'node:util';
import type { MachineSpec } from '../kinds/machine.ts';

/** The desired state of a pool's machines, with names resolved. */
export type DesiredMachine = Pick<MachineSpec, 'flavor' | 'image' | 'version' | 'rootVolume' | 'floatingIP'>;

/**
 * How to update a machine to its pool's template. `none`: up to date. `inPlace`: without changing the server's disk (the floating
 * IP). `reinstall`: the same server with a new system (image, version), or a new server if the pool's strategy says so.
 * `replace`: always a new server (flavor, root volume). Labels, annotations and taints are synced to nodes continuously
 * and are not considered here.
 */
export type MachineChange = 'none' | 'inPlace' | 'reinstall' | 'replace';

export function machineChange(desired: DesiredMachine, machine: DesiredMachine): MachineChange {
  const isServerNew = desired.flavor !== machine.flavor || !isDeepStrictEqual(desired.rootVolume, machine.rootVolume);
  if (isServerNew) return 'replace';
  if (desired.image !== machine.image || desired.version !== machine.version) return 'reinstall';
  return desired.floatingIP === machine.floatingIP ? 'none' : 'inPlace';
}

/** Whether the machine must be reinstalled or replaced; if so, `updatedReplicas` does not count it. */
export function isOutdated(desired: DesiredMachine, machine: DesiredMachine): boolean {
  const change = machineChange(desired, machine);
  return change === 'reinstall' || change === 'replace';
}
