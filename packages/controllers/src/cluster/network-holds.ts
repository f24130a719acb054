import { ConditionReason } from '@fairway/api/conditions';
import type { OpenStackError } from '@fairway/openstack/http/openstack-error';
import type { CallOptions } from '@fairway/openstack/service-api';
import type { FloatingIp, Port } from '@fairway/openstack/types/network';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { Problem } from '@fairway/tenancy/problem';
import { firstNames } from '../waits.ts';
import { displayName, refused } from './remaining-resources.ts';

/** A resource of the cluster's network. */
interface NetworkResource {
  readonly id: string;
  readonly name?: string | null | undefined;
}

/** One more than a message lists, so that the message can say "and more". */
const MAX_LISTED = 20;

/** Ports that Neutron itself deletes with their network or router. */
const NEUTRON_OWNED_PORT = /^network:(dhcp|distributed|ha_router_replicated_interface|router_ha_interface)/;

/** Why Neutron does not delete a network: ports that do not belong to the cluster. Rejects with the cloud's error. */
export async function holdOfNetwork(
  { client }: ProjectCloud,
  network: NetworkResource,
  refusal: OpenStackError,
  options: CallOptions,
): Promise<Problem> {
  const ports = await firstMatches(client.network.ports.list({ network_id: network.id }, options), isForeign);
  return portsHoldProblem('network', network, ports, refusal);
}

/** Why Neutron does not delete a router: floating IPs that need it, or ports on it. Rejects with the cloud's error. */
export async function holdOfRouter(
  { client }: ProjectCloud,
  router: NetworkResource,
  refusal: OpenStackError,
  options: CallOptions,
): Promise<Problem> {
  const addresses = await firstMatches(client.network.floatingIps.list({ router_id: router.id }, options), isInUse);
  if (addresses.length === 0) {
    const ports = await firstMatches(client.network.ports.list({ device_id: router.id }, options), isForeign);
    return portsHoldProblem('router', router, ports, refusal);
  }
  const names = addresses.map((each) => `${each.floating_ip_address} (${each.id}, port ${each.port_id})`);
  const message = `${displayName('router', router)} is used by floating IP ${firstNames(names)}, which the cluster did not create: openstack floating ip unset --port ${addresses[0]?.id}`;
  return { reason: ConditionReason.ResourceInUse, message };
}

/** Why Neutron does not delete a security group: the ports that use it. Rejects with the cloud's error. */
export async function holdOfSecurityGroup(
  { client }: ProjectCloud,
  group: NetworkResource,
  refusal: OpenStackError,
  options: CallOptions,
): Promise<Problem> {
  const isMember = ({ security_groups }: Port) => security_groups.includes(group.id);
  const ports = await firstMatches(client.network.ports.list({}, options), isMember);
  if (ports.length === 0) return refused('security group', group, refusal);
  const message = `${displayName('security group', group)} is used by ${namesOf(ports)}: openstack port unset --security-group ${group.id} ${ports[0]?.id}`;
  return { reason: ConditionReason.ResourceInUse, message };
}

function portsHoldProblem(
  noun: string,
  item: NetworkResource,
  ports: readonly Port[],
  refusal: OpenStackError,
): Problem {
  const [first] = ports;
  if (first === undefined) return refused(noun, item, refusal);
  const message = `${displayName(noun, item)} is in use by ${namesOf(ports)}, which the cluster did not create: openstack port delete ${first.id}, or delete its owner`;
  return { reason: ConditionReason.ResourceInUse, message };
}

/** Ports with their owner: `compute:nova` and the server's ID. */
function namesOf(ports: readonly Port[]): string {
  return firstNames(
    ports.map(({ id, name, device_owner, device_id }) => {
      const device = device_owner === '' ? 'without a device' : `of ${device_owner}${device_id ? ` ${device_id}` : ''}`;
      return `${displayName('port', { id, name })} ${device}`;
    }),
  );
}

function isForeign({ device_owner }: Port): boolean {
  return !NEUTRON_OWNED_PORT.test(device_owner);
}

function isInUse({ port_id }: FloatingIp): boolean {
  return Boolean(port_id);
}

/** The first matching items in a stable order, so that the message is stable. */
async function firstMatches<T extends { readonly id: string }>(
  items: AsyncIterable<T>,
  predicate: (item: T) => boolean,
): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) {
    if (predicate(item)) found.push(item);
  }
  return found.toSorted((a, b) => a.id.localeCompare(b.id)).slice(0, MAX_LISTED);
}
