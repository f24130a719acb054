import type { Machine, MachinePhase } from '@fairway/api/kinds/machine';

export interface NodeGroup {
  readonly pool: string;
  readonly zones: readonly { readonly zone: string | undefined; readonly machines: readonly Machine[] }[];
}

/** Machines by pool and zone, each sorted by name. Includes pools without machines. */
export function nodeGroups(pools: readonly string[], machines: readonly Machine[]): readonly NodeGroup[] {
  const names = [...new Set([...pools, ...machines.map(({ spec }) => spec.nodePoolName)])].sort();
  return names.map((pool) => {
    const poolMachines = machines.filter(({ spec }) => spec.nodePoolName === pool);
    const zones = [...new Set(poolMachines.map(zoneOf))].sort((a = '', b = '') => a.localeCompare(b));
    return {
      pool,
      zones: zones.map((zone) => ({
        zone,
        machines: poolMachines
          .filter((machine) => zoneOf(machine) === zone)
          .toSorted((a, b) => (a.metadata.name ?? '').localeCompare(b.metadata.name ?? '')),
      })),
    };
  });
}

/** A machine that is being deleted counts as draining, whatever its phase. */
export function phaseOf({ metadata, status }: Machine): MachinePhase {
  if (metadata.deletionTimestamp !== undefined && status?.phase !== 'Terminated') return 'Draining';
  return status?.phase ?? 'Pending';
}

/** The zone of the server; before the server exists, its planned zone. */
function zoneOf({ spec, status }: Machine): string | undefined {
  return status?.zone ?? spec.zone;
}
