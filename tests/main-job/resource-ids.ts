import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { z } from 'zod';

/** The contents of a project: `kind id name`, sorted. */
export type ResourceIds = readonly string[];

interface Item {
  readonly id: string;
  readonly name?: string | undefined;
}

const VolumeList = z.object({ volumes: z.array(z.object({ id: z.string(), name: z.string() })) });

/** Everything in the project that Fairway could have created, no matter who created it. */
export async function resourceIds(client: OpenStackClient): Promise<ResourceIds> {
  const { compute, network, identity } = client;
  const { networks, subnets, routers, ports, securityGroups, floatingIps } = network;
  const lines = await Promise.all([
    describe('server', compute.servers.list()),
    describe('server group', compute.serverGroups.list()),
    describe('network', networks.list()),
    describe('subnet', subnets.list()),
    describe('router', routers.list()),
    describe('port', ports.list()),
    describe('security group', securityGroups.list()),
    describe('floating IP', floatingIps.list()),
    describe('application credential', await identity.applicationCredentials()),
    describe('trust', await identity.trustsGiven()),
    describe('volume', await volumesOf(client)),
  ]);
  return lines.flat().sort();
}

async function describe(kind: string, items: AsyncIterable<Item> | readonly Item[]): Promise<string[]> {
  const lines: string[] = [];
  for await (const { id, name = '' } of items) lines.push(`${kind} ${id} ${name}`.trimEnd());
  return lines;
}

/** For the block storage service, if the cloud has one. */
async function volumesOf({ session }: OpenStackClient): Promise<readonly Item[]> {
  const { id, token } = await session.token();
  const entry = token.catalog.find(({ type }) => type === 'volumev3' || type === 'block-storage');
  const url = entry?.endpoints.find((endpoint) => endpoint.interface === 'public')?.url;
  if (url === undefined) return [];
  const response = await fetch(`${url}/volumes/detail`, { headers: { 'x-auth-token': id } });
  return VolumeList.parse(await response.json()).volumes;
}
