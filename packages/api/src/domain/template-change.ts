import { isDeepStrictEqual } from 'node:util';
import type { MachineSpec } from '../kinds/machine.ts';

/** What a pool wants its machines to be, with names resolved. */
export type DesiredMachine = Pick<MachineSpec, 'flavor' | 'image' | 'version' | 'rootVolume' | 'floatingIP'>;

/**
 * How a machine becomes what its pool wants. `none`: it is. `inPlace`: without touching the server's disk (the floating
 * IP). `reinstall`: the same server with a new system (image, version), or a new server where the plan renews so.
 * `replace`: a new server in any case (flavor, root volume). Labels, annotations and taints are kept on nodes all the time
 * and never count here.
 */
export type MachineChange = 'none' | 'inPlace' | 'reinstall' | 'replace';

export function machineChange(desired: DesiredMachine, machine: DesiredMachine): MachineChange {
  const isServerNew = desired.flavor !== machine.flavor || !isDeepStrictEqual(desired.rootVolume, machine.rootVolume);
  if (isServerNew) return 'replace';
  if (desired.image !== machine.image || desired.version !== machine.version) return 'reinstall';
  return desired.floatingIP === machine.floatingIP ? 'none' : 'inPlace';
}

/** Whether the machine must be renewed to match: what `updatedReplicas` does not count. */
export function isOutdated(desired: DesiredMachine, machine: DesiredMachine): boolean {
  const change = machineChange(desired, machine);
  return change === 'reinstall' || change === 'replace';
}
