import { createHash } from 'node:crypto';
import { type ApiRequest, type ApiResponse, ok, type Route } from '../http/api.ts';
import { isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import { notFound, requireAdmin } from './problem.ts';
import { type Host, hostsOf, type Usage, usageByHost } from './scheduler.ts';

/** Availability zones and, for administrators, their hypervisors. */
export function hostRoutes(world: World): Route[] {
  return [
    { method: 'GET', template: '/v2.1/os-availability-zone', handle: () => zones(world, false) },
    {
      method: 'GET',
      template: '/v2.1/os-availability-zone/detail',
      handle: ({ access }) => {
        requireAdmin(access, 'os-availability-zone:detail');
        return zones(world, true);
      },
    },
    { method: 'GET', template: '/v2.1/os-hypervisors', handle: (request) => listHypervisors(world, request, false) },
    {
      method: 'GET',
      template: '/v2.1/os-hypervisors/detail',
      handle: (request) => listHypervisors(world, request, true),
    },
    {
      method: 'GET',
      template: '/v2.1/os-hypervisors/{id}',
      handle: (request) => {
        requireAdmin(request.access, 'os-hypervisors:show');
        const id = request.params['id'] ?? '';
        const all = hostsOf(world);
        const index = all.findIndex((host, i) => hypervisorId(request, host, i) === id || String(i + 1) === id);
        const host = all[index];
        if (host === undefined) throw notFound(`Hypervisor with ID '${id}' could not be found.`);
        return ok({ hypervisor: hypervisor(request, host, index, usageByHost(world), true) });
      },
    },
    {
      method: 'GET',
      template: '/v2.1/os-services',
      handle: ({ access }) => {
        requireAdmin(access, 'os-services:list');
        const services = hostsOf(world).map(({ name, zone }, i) => ({
          id: i + 1,
          binary: 'nova-compute',
          host: name,
          zone,
          status: 'enabled',
          state: 'up',
          disabled_reason: null,
        }));
        return ok({ services });
      },
    },
  ];
}

function zones(world: World, isDetail: boolean): ApiResponse {
  const hosts = hostsOf(world);
  const availabilityZoneInfo = world.config.zones.map(({ name }) => ({
    zoneName: name,
    zoneState: { available: true },
    hosts: isDetail
      ? Object.fromEntries(
          hosts
            .filter((host) => host.zone === name)
            .map((host) => [host.name, { 'nova-compute': { available: true, active: true, updated_at: null } }]),
        )
      : null,
  }));
  return ok({ availabilityZoneInfo });
}

/** The ID of a hypervisor, which is a UUID since 2.53. */
function hypervisorId({ microversion }: ApiRequest, { name }: Host, index: number): string | number {
  if (microversion < 53) return index + 1;
  const h = createHash('md5').update(name).digest('hex');
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-8${h.slice(17, 20)}-${h.slice(20)}`;
}

function hypervisor(
  request: ApiRequest,
  host: Host,
  index: number,
  usage: ReadonlyMap<string, Usage>,
  isDetail: boolean,
): object {
  const id = hypervisorId(request, host, index);
  const summary = { id, hypervisor_hostname: host.name, state: 'up', status: 'enabled' };
  if (!isDetail) return summary;
  const { vcpus = 0, ramMiB = 0, diskGiB = 0, servers = 0 } = usage.get(host.name) ?? {};
  const { hostVcpus, hostRamMiB, hostDiskGiB } = host.spec;
  return {
    ...summary,
    hypervisor_type: 'simulated',
    hypervisor_version: 1,
    host_ip: '127.0.0.1',
    service: { host: host.name, id, disabled_reason: null },
    ...(request.microversion < 88
      ? {
          vcpus: hostVcpus,
          vcpus_used: vcpus,
          memory_mb: hostRamMiB,
          memory_mb_used: ramMiB,
          free_ram_mb: hostRamMiB - ramMiB,
          local_gb: hostDiskGiB,
          local_gb_used: diskGiB,
          free_disk_gb: hostDiskGiB - diskGiB,
          disk_available_least: hostDiskGiB - diskGiB,
          running_vms: servers,
          current_workload: 0,
          cpu_info: request.microversion < 28 ? '{}' : {},
        }
      : { uptime: null }),
  };
}

function listHypervisors(world: World, request: ApiRequest, isDetail: boolean): ApiResponse {
  if (!isAdmin(request.access)) requireAdmin(request.access, 'os-hypervisors:list');
  const usage = usageByHost(world);
  const hypervisors = hostsOf(world).map((host, i) => hypervisor(request, host, i, usage, isDetail));
  return ok({ hypervisors });
}
