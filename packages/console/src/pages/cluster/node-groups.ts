import type { Machine, MachinePhase } from '@fairway/api/kinds/machine';

export interface NodeGroup {
  readonly pool: string;
  readonly zones: readonly { readonly zone: string | undefined; readonly machines: readonly Machine[] }[];
}

/** Machines by pool and zone, each sorted by name. Pools without machines are there too. */
export function nodeGroups(pools: readonly string[], machines: readonly Machine[]): readonly NodeGroup[] {
  const names = [...new Set([...pools, ...machines.map(({ spec }) => spec.nodePoolName)])].sort();
  return names.map((pool) => {
    const own = machines.filter(({ spec }) => spec.nodePoolName === pool);
    const zones = [...new Set(own.map(zoneOf))].sort((a = '', b = '') => a.localeCompare(b));
    return {
      pool,
      zones: zones.map((zone) => ({
        zone,
        machines: own
          .filter((machine) => zoneOf(machine) === zone)
          .toSorted((a, b) => (a.metadata.name ?? '').localeCompare(b.metadata.name ?? '')),
      })),
    };
  });
}

/** One that is being deleted drains, whatever it says. */
export function phaseOf({ metadata, status }: Machine): MachinePhase {
  if (metadata.deletionTimestamp !== undefined && status?.phase !== 'Terminated') return 'Draining';
  return status?.phase ?? 'Pending';
}

/** Where the server is; before there is one, where it is to be. */
function zoneOf({ spec, status }: Machine): string | undefined {
  return status?.zone ?? spec.zone;
}
