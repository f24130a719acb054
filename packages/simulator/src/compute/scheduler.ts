import type { FlavorSpec, ZoneSpec } from '../config.ts';
import type { World } from '../world.ts';
import { flavorOf } from './find-flavor.ts';
import type { Server, ServerGroup } from './records.ts';

export interface Host {
  readonly name: string;
  readonly zone: string;
  readonly spec: ZoneSpec;
}

export interface Usage {
  vcpus: number;
  ramMiB: number;
  diskGiB: number;
  servers: number;
}

/** Nova's default cpu_allocation_ratio. */
const CPU_ALLOCATION_RATIO = 16;

export function hostsOf(world: World): Host[] {
  return world.config.zones.flatMap((spec) =>
    Array.from({ length: spec.hosts }, (_, i) => ({ name: `${spec.name}-host-${i + 1}`, zone: spec.name, spec })),
  );
}

export function zoneOfHost(world: World, host: string): string | undefined {
  return world.config.zones.find((zone) => host.startsWith(`${zone.name}-host-`))?.name;
}

export function usageByHost(world: World): Map<string, Usage> {
  const usage = new Map<string, Usage>();
  for (const server of world.tables.servers.values()) {
    if (server.host === null || server.deletedMs !== null) continue;
    const flavor = flavorOf(world, server.flavorId);
    const sum = usage.get(server.host) ?? { vcpus: 0, ramMiB: 0, diskGiB: 0, servers: 0 };
    sum.vcpus += flavor.vcpus;
    sum.ramMiB += flavor.ramMiB;
    sum.diskGiB += server.imageId === null ? 0 : flavor.diskGiB;
    sum.servers++;
    usage.set(server.host, sum);
  }
  return usage;
}

/** The host that the filter scheduler selects: the one with the most free memory. Undefined if no host fits. */
export function chooseHost(world: World, server: Server, flavor: FlavorSpec): Host | undefined {
  const usage = usageByHost(world);
  const group = server.groupId === null ? undefined : world.tables.serverGroups.get(server.groupId);
  const groupHosts = countByHost(group === undefined ? [] : membersOf(world, group).filter((m) => m.id !== server.id));
  let bestHost: { readonly host: Host; readonly weight: number } | undefined;
  for (const host of hostsOf(world)) {
    if (server.wantedZone !== null && host.zone !== server.wantedZone) continue;
    if (world.faults.isOutOfStock(flavor.name, host.zone)) continue;
    if (!fits(host, usage.get(host.name), flavor, server.imageId === null)) continue;
    const groupServers = groupHosts.get(host.name) ?? 0;
    if (group !== undefined && !isAllowed(group, groupServers, groupHosts.size)) continue;
    const freeMiB = host.spec.hostRamMiB - (usage.get(host.name)?.ramMiB ?? 0);
    const weight = freeMiB + preference(group, groupServers) * host.spec.hostRamMiB;
    if (bestHost === undefined || weight > bestHost.weight) bestHost = { host, weight };
  }
  return bestHost?.host;
}

export function membersOf(world: World, group: ServerGroup): Server[] {
  return world.tables.servers.where((server) => server.groupId === group.id && server.deletedMs === null);
}

function countByHost(servers: readonly Server[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { host } of servers) if (host !== null) counts.set(host, (counts.get(host) ?? 0) + 1);
  return counts;
}

function fits({ spec }: Host, usage: Usage | undefined, flavor: FlavorSpec, bootsFromVolume: boolean): boolean {
  const { vcpus = 0, ramMiB = 0, diskGiB = 0 } = usage ?? {};
  return (
    flavor.vcpus <= spec.hostVcpus &&
    vcpus + flavor.vcpus <= spec.hostVcpus * CPU_ALLOCATION_RATIO &&
    ramMiB + flavor.ramMiB <= spec.hostRamMiB &&
    diskGiB + (bootsFromVolume ? 0 : flavor.diskGiB) <= spec.hostDiskGiB
  );
}

/**
 * Whether a hard policy allows the server on a host with `groupServers` members of the group, if the group uses `hosts`
 * hosts.
 */
function isAllowed(group: ServerGroup, groupServers: number, hosts: number): boolean {
  switch (group.policy) {
    case 'anti-affinity':
      return groupServers < (group.maxServersPerHost ?? 1);
    case 'affinity':
      return hosts === 0 || groupServers > 0;
    case 'soft-affinity':
    case 'soft-anti-affinity':
      return true;
  }
}

function preference(group: ServerGroup | undefined, groupServers: number): number {
  if (group?.policy === 'soft-affinity') return groupServers;
  return group?.policy === 'soft-anti-affinity' ? -groupServers : 0;
}
