import { createHash } from 'node:crypto';
import type { ApiRequest } from '../http/api.ts';
import { isAdmin } from '../identity/access.ts';
import type { Port } from '../network/records.ts';
import type { World } from '../world.ts';
import { flavorOf } from './find-flavor.ts';
import type { Server } from './records.ts';
import { zoneOfHost } from './scheduler.ts';
import { portsOf } from './server-networks.ts';
import { powerStateOf, statusOf } from './server-status.ts';
import { unpackUserData } from './user-data.ts';

/** A time in Nova's format. */
export function computeTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

export function linksTo(request: ApiRequest, path: string): object[] {
  return [
    { rel: 'self', href: `${request.serviceUrl}/v2.1/${path}` },
    { rel: 'bookmark', href: `${request.serviceUrl}/${path}` },
  ];
}

export function bookmarkTo(request: ApiRequest, path: string): object[] {
  return [{ rel: 'bookmark', href: `${request.serviceUrl}/${path}` }];
}

export function basicView(request: ApiRequest, { id, name }: Server): object {
  return { id, name, links: linksTo(request, `servers/${id}`) };
}

/** The detailed view of a server for the microversion and the caller's role. */
export function detailView(world: World, request: ApiRequest, server: Server, isShow: boolean): object {
  const { microversion, access } = request;
  const ports = portsOf(world, server.id);
  const status = statusOf(server);
  return {
    ...basicView(request, server),
    status,
    tenant_id: server.projectId,
    user_id: server.userId,
    metadata: server.metadata,
    hostId: server.host === null ? '' : hashedHostId(server.projectId, server.host),
    image:
      server.imageId === null ? '' : { id: server.imageId, links: bookmarkTo(request, `images/${server.imageId}`) },
    flavor: flavorView(world, request, server.flavorId),
    created: computeTime(server.createdMs),
    updated: computeTime(server.updatedMs),
    addresses: addressesOf(world, ports),
    accessIPv4: server.accessIPv4 ?? '',
    accessIPv6: server.accessIPv6 ?? '',
    ...(STATUSES_WITH_PROGRESS.has(status) ? { progress: 0 } : {}),
    ...(showsFault(world, server) && FAULTY_STATUSES.has(status) ? { fault: faultView(request, server) } : {}),
    'OS-DCF:diskConfig': 'MANUAL',
    'OS-EXT-AZ:availability_zone': zoneOfHost(world, server.host ?? '') ?? server.wantedZone ?? '',
    config_drive: server.configDrive ? 'True' : '',
    key_name: server.keyName,
    'OS-SRV-USG:launched_at': preciseTime(server.launchedMs),
    'OS-SRV-USG:terminated_at': preciseTime(server.deletedMs),
    'OS-EXT-STS:task_state': server.taskState,
    'OS-EXT-STS:vm_state': server.vmState === 'deleted' ? 'deleted' : server.vmState,
    'OS-EXT-STS:power_state': powerStateOf(server),
    'os-extended-volumes:volumes_attached': server.volumes
      .filter(({ wanted }) => wanted === undefined)
      .map(({ id, deleteOnTermination }) =>
        microversion >= 3 ? { id, delete_on_termination: deleteOnTermination } : { id },
      ),
    ...securityGroupsView(world, ports),
    ...adminView(request, server),
    ...(microversion >= 9 ? { locked: server.locked } : {}),
    ...(microversion >= 16 && isAdmin(access) ? { host_status: server.host === null ? '' : 'UP' } : {}),
    ...(microversion >= 19 ? { description: server.description } : {}),
    ...(microversion >= 26 ? { tags: server.tags } : {}),
    ...(microversion >= 63 ? { trusted_image_certificates: null } : {}),
    ...(microversion >= 71 && isShow ? { server_groups: server.groupId === null ? [] : [server.groupId] } : {}),
    ...(microversion >= 73 ? { locked_reason: server.lockedReason } : {}),
    ...(microversion >= 90 && !isAdmin(access) ? { 'OS-EXT-SRV-ATTR:hostname': server.hostname } : {}),
  };
}

const STATUSES_WITH_PROGRESS: ReadonlySet<string> = new Set([
  'ACTIVE',
  'BUILD',
  'REBUILD',
  'RESIZE',
  'VERIFY_RESIZE',
  'MIGRATING',
]);
const FAULTY_STATUSES: ReadonlySet<string> = new Set(['ERROR', 'DELETED']);

function hashedHostId(projectId: string, host: string): string {
  return createHash('sha224')
    .update(projectId + host)
    .digest('hex');
}

export function preciseTime(epochMs: number | null): string | null {
  return epochMs === null ? null : `${new Date(epochMs).toISOString().slice(0, -1)}000`;
}

function flavorView(world: World, request: ApiRequest, flavorId: string): object {
  const flavor = flavorOf(world, flavorId);
  if (request.microversion < 47) return { id: flavor.id, links: bookmarkTo(request, `flavors/${flavor.id}`) };
  return {
    vcpus: flavor.vcpus,
    ram: flavor.ramMiB,
    disk: flavor.diskGiB,
    ephemeral: 0,
    swap: 0,
    original_name: flavor.name,
    extra_specs: flavor.extraSpecs,
  };
}

/** Whether the fault is shown yet: Nova shows the status before it records the fault. */
function showsFault({ clock }: World, { fault }: Server): boolean {
  return fault !== null && fault.createdMs <= clock.now();
}

function faultView({ access }: ApiRequest, { fault }: Server): object {
  if (fault === null) return {};
  const { code, message, details, createdMs } = fault;
  return { code, created: computeTime(createdMs), message, ...(isAdmin(access) || code !== 500 ? { details } : {}) };
}

function securityGroupsView(world: World, ports: readonly Port[]): object {
  const ids = new Set(ports.flatMap((port) => port.security_groups));
  const names = [...ids].flatMap((id) => world.tables.securityGroups.get(id)?.name ?? []);
  return names.length === 0 ? {} : { security_groups: names.map((name) => ({ name })) };
}

function adminView({ access, microversion }: ApiRequest, server: Server): object {
  if (!isAdmin(access)) return {};
  return {
    'OS-EXT-SRV-ATTR:host': server.host,
    'OS-EXT-SRV-ATTR:hypervisor_hostname': server.host,
    'OS-EXT-SRV-ATTR:instance_name': `instance-${server.id.slice(0, 8)}`,
    ...(microversion >= 3
      ? {
          'OS-EXT-SRV-ATTR:reservation_id': server.reservationId,
          'OS-EXT-SRV-ATTR:launch_index': server.launchIndex,
          'OS-EXT-SRV-ATTR:hostname': server.hostname,
          'OS-EXT-SRV-ATTR:kernel_id': '',
          'OS-EXT-SRV-ATTR:ramdisk_id': '',
          'OS-EXT-SRV-ATTR:root_device_name': '/dev/vda',
          'OS-EXT-SRV-ATTR:user_data': server.userData === null ? null : unpackUserData(server.userData),
        }
      : {}),
  };
}

/** Fixed and floating addresses by network name. */
export function addressesOf(world: World, ports: readonly Port[]): Record<string, object[]> {
  const { networks } = world.tables;
  const addresses: Record<string, object[]> = {};
  for (const port of ports) {
    const name = networks.get(port.network_id)?.name ?? port.network_id;
    const list = (addresses[name] ??= []);
    const entry = (address: string, type: 'fixed' | 'floating'): object => ({
      version: address.includes(':') ? 6 : 4,
      addr: address,
      'OS-EXT-IPS:type': type,
      'OS-EXT-IPS-MAC:mac_addr': port.mac_address,
    });
    for (const { ip_address } of port.fixed_ips) list.push(entry(ip_address, 'fixed'));
    for (const floatingIp of world.indexes.floatingIpsByPort.of(port.id)) {
      list.push(entry(floatingIp.floating_ip_address, 'floating'));
    }
  }
  return addresses;
}
