import { OpenStackError } from '@fairway/openstack/http/openstack-error';
import type { Network } from '@fairway/openstack/network/network';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { pages } from '@fairway/openstack/pages';
import { ServiceApi } from '@fairway/openstack/service-api';
import { Link } from '@fairway/openstack/types/link';
import { SERVER_STATUSES, ServerAddress } from '@fairway/openstack/types/server';
import { z } from 'zod';
import type { FleetCloud, ListedServer } from './hollow-node-fleet.ts';

/** Excludes user data, which would make every list megabytes in size. */
const LIST_MICROVERSION = '2.1';
/** Includes user data (2.3) and the embedded flavor (2.47). */
const DETAIL_MICROVERSION = '2.47';

const ListedServerWire = z.object({
  id: z.string(),
  name: z.string(),
  status: z.enum(SERVER_STATUSES).catch('UNKNOWN'),
  image: z.union([z.object({ id: z.string() }), z.literal('')]).nullish(),
  metadata: z.record(z.string(), z.string()).default({}),
});
const ServerPage = z.object({ servers: z.array(ListedServerWire), servers_links: z.array(Link).optional() });

const ServerDetail = z.object({
  server: z.object({
    id: z.string(),
    name: z.string(),
    addresses: z.record(z.string(), z.array(ServerAddress)).default({}),
    flavor: z.object({ vcpus: z.number(), ram: z.number(), disk: z.number() }),
    config_drive: z.union([z.string(), z.boolean()]).default(''),
    'OS-EXT-AZ:availability_zone': z.string().nullish(),
    /** Visible to administrators only. */
    'OS-EXT-SRV-ATTR:user_data': z.string().nullish(),
  }),
});

/** All servers of an OpenStack cloud, listed with administrator credentials. */
export function openStackFleetCloud({ session, network }: Pick<OpenStackClient, 'session' | 'network'>): FleetCloud {
  const lists = new ServiceApi(session, 'compute', { name: 'compute', wanted: LIST_MICROVERSION });
  const details = new ServiceApi(session, 'compute', { name: 'compute', wanted: DETAIL_MICROVERSION });
  return {
    async *list(signal): AsyncGenerator<ListedServer> {
      const servers = pages(lists, '/servers/detail', {
        signal,
        query: { all_tenants: 1 },
        schema: ServerPage,
        page: (wire) => ({
          items: wire.servers,
          next: wire.servers_links?.find((link) => link.rel === 'next')?.href,
        }),
      });
      for await (const { id, name, status, image, metadata } of servers) {
        yield { id, name, status, imageId: image ? image.id : undefined, metadata };
      }
    },
    async describe(serverId, signal) {
      const call = { params: { server_id: serverId }, signal, minMicroversion: DETAIL_MICROVERSION };
      const detail = await details.get(ServerDetail, '/servers/{server_id}', call).catch(ignoreNotFound);
      if (detail === undefined) return undefined;
      const { server } = detail;
      const { id, name, flavor } = server;
      const isConfigured = isTrue(server.config_drive) || (await hasDhcp(network, id, signal));
      return {
        server: {
          id,
          name,
          addresses: fixedAddresses(server.addresses),
          zone: server['OS-EXT-AZ:availability_zone'] ?? undefined,
          flavor: { vcpus: flavor.vcpus, ramMib: flavor.ram, diskGib: flavor.disk },
        },
        userData: isConfigured ? (server['OS-EXT-SRV-ATTR:user_data'] ?? undefined) : undefined,
      };
    },
  };
}

/** A guest with no DHCP and no config drive has no address, and cannot reach the metadata service for its user data. */
async function hasDhcp({ ports, subnets }: Network, serverId: string, signal: AbortSignal): Promise<boolean> {
  const attached = await Array.fromAsync(ports.list({ device_id: serverId }, { signal }));
  const ids = new Set(attached.flatMap(({ fixed_ips }) => fixed_ips.map(({ subnet_id }) => subnet_id)));
  for (const id of ids) if ((await subnets.get(id, { signal })).enable_dhcp) return true;
  return false;
}

/** Nova returns `True`, or an empty string. */
function isTrue(flag: string | boolean): boolean {
  return flag === true || flag === 'True';
}

/** Addresses of the server's own ports, IPv4 before IPv6. */
function fixedAddresses(networks: Readonly<Record<string, readonly ServerAddress[]>>): string[] {
  const fixed = Object.values(networks)
    .flat()
    .filter((address) => address['OS-EXT-IPS:type'] !== 'floating');
  return fixed.sort((left, right) => left.version - right.version).map(({ addr }) => addr);
}

function ignoreNotFound(error: unknown): undefined {
  if (error instanceof OpenStackError && error.kind === 'notFound') return undefined;
  throw error;
}
