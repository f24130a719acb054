import type { ObjectMeta } from '@fairway/kube/object/meta';
import type {
  HealthMonitorFields,
  ListenerFields,
  ListenerTree,
  LoadBalancerCreate,
  MemberCreate,
  PoolFields,
} from '@fairway/openstack/types/load-balancer';
import { familyOf } from './families.ts';
import type { KnownSubnet } from './known-subnets.ts';
import type { MemberAddress } from './members.ts';
import { loadBalancerDescription, loadBalancerName, partName } from './names.ts';
import { isByFamily } from './provider-limits.ts';
import type { VipPlace } from './vip-places.ts';
import type { PortWish, Timeouts, Wishes } from './wishes.ts';

/** A port of a Service as a listener with what is behind it. */
export interface DesiredPort {
  readonly listener: ListenerFields;
  readonly pool: PoolFields;
  readonly members: readonly MemberCreate[];
  readonly monitor: HealthMonitorFields | undefined;
}

/** A load balancer as a Service wants it. */
export interface DesiredLoadBalancer {
  readonly name: string;
  readonly description: string;
  /** Of the load balancer; `partTags` of its listeners and pools. */
  readonly tags: readonly string[];
  readonly provider: string | undefined;
  readonly vip: Wishes['vip'];
  /** Where its addresses are, for a new one. */
  readonly place: VipPlace;
  readonly flavorID: string | undefined;
  readonly availabilityZone: string | undefined;
  readonly ports: readonly DesiredPort[];
}

export interface DesiredContext {
  readonly clusterName: string;
  readonly service: Pick<ObjectMeta, 'namespace' | 'name'>;
  readonly members: readonly MemberAddress[];
  /** For ports whose clients reach members of their own family alone; `members` by default. */
  readonly membersByFamily?: readonly MemberAddress[];
  /** Of nodes and of the load balancer, where families differ; undefined: all is in the subnet that the wishes name. */
  readonly memberSubnets?: readonly KnownSubnet[] | undefined;
  /** By default where the wishes say. */
  readonly place?: VipPlace | undefined;
  /** Marks of the owner: see `tenancy/cloud/ownership`. */
  readonly tags: readonly string[];
  readonly partTags: readonly string[];
  /** The flavor that the wishes name, looked up. */
  readonly flavorID: string | undefined;
}

/** Pure. */
export function desiredLoadBalancer(wishes: Wishes, context: DesiredContext): DesiredLoadBalancer {
  const { clusterName, service, tags, flavorID } = context;
  const name = loadBalancerName(clusterName, service);
  return {
    name,
    description: loadBalancerDescription(clusterName, service),
    tags,
    provider: wishes.provider,
    vip: wishes.vip,
    place: context.place ?? wishes.vip,
    flavorID,
    availabilityZone: wishes.availabilityZone,
    ports: wishes.ports.map((port) => desiredPort(port, wishes, name, context)),
  };
}

function desiredPort(port: PortWish, wishes: Wishes, name: string, context: DesiredContext): DesiredPort {
  const tags = context.partTags;
  return {
    listener: { ...listenerOf(port, wishes), name: partName('listener', port.index, name), tags },
    pool: {
      name: partName('pool', port.index, name),
      protocol: port.poolProtocol,
      lb_algorithm: wishes.algorithm,
      session_persistence: wishes.persistsBySource ? { type: 'SOURCE_IP' } : null,
      tags,
    },
    members: port.nodePort === undefined ? [] : membersOf(port, port.nodePort, wishes, context),
    monitor: port.monitor && { name: partName('monitor', port.index, name), tags, ...monitorOf(port.monitor) },
  };
}

function listenerOf({ listenerProtocol, port }: PortWish, wishes: Wishes): ListenerFields {
  const { timeouts, tlsContainerRef, addsForwardedFor } = wishes;
  const isHttp = listenerProtocol === 'HTTP' || listenerProtocol === 'TERMINATED_HTTPS';
  return {
    protocol: listenerProtocol,
    protocol_port: port,
    connection_limit: wishes.connectionLimit,
    ...(timeouts && timeoutFields(timeouts)),
    ...(wishes.sourceRanges.length > 0 && { allowed_cidrs: wishes.sourceRanges }),
    ...(isHttp && { insert_headers: addsForwardedFor ? { 'X-Forwarded-For': 'true' } : {} }),
    ...(listenerProtocol === 'TERMINATED_HTTPS' && { default_tls_container_ref: tlsContainerRef ?? '' }),
  };
}

function timeoutFields({ clientData, memberConnect, memberData, tcpInspect }: Timeouts) {
  return {
    timeout_client_data: clientData,
    timeout_member_connect: memberConnect,
    timeout_member_data: memberData,
    timeout_tcp_inspect: tcpInspect,
  };
}

function membersOf(port: PortWish, nodePort: number, wishes: Wishes, context: DesiredContext): readonly MemberCreate[] {
  const { monitor } = port;
  const { members, membersByFamily = members } = context;
  return (isByFamily(port, wishes) ? membersByFamily : members).map(({ node, address }) => {
    const subnetID = subnetOf(address, wishes, context);
    return {
      name: node,
      address,
      protocol_port: nodePort,
      ...(subnetID !== undefined && { subnet_id: subnetID }),
      ...(monitor?.port !== undefined && { monitor_port: monitor.port }),
    };
  });
}

/** The one of the wishes, unless it is known to be of the other family. */
function subnetOf(address: string, { memberSubnetID: named }: Wishes, { memberSubnets: known }: DesiredContext) {
  if (known === undefined) return named;
  const isOther = known.some(({ id, family }) => id === named && family !== familyOf(address));
  if (named !== undefined && !isOther) return named;
  return known.find(({ isIn }) => isIn(address))?.id;
}

function monitorOf({ type, delay, timeout, maxRetries, maxRetriesDown }: NonNullable<PortWish['monitor']>) {
  return {
    type,
    delay,
    timeout,
    max_retries: maxRetries,
    max_retries_down: maxRetriesDown,
    ...(type === 'HTTP' && { http_method: 'GET', url_path: '/healthz', expected_codes: '200' }),
  };
}

/** The call that makes all of it at once. */
export function createBody(
  desired: DesiredLoadBalancer,
): Omit<LoadBalancerCreate, 'listeners'> & { readonly listeners: readonly ListenerTree[] } {
  const { name, description, tags, provider, place, flavorID, availabilityZone, ports } = desired;
  return {
    name,
    description,
    tags,
    ...(provider !== undefined && { provider }),
    ...(flavorID !== undefined && { flavor_id: flavorID }),
    ...(availabilityZone !== undefined && { availability_zone: availabilityZone }),
    ...vipOf(place),
    listeners: ports.map(treeOf),
  };
}

/** A port says which network and address it has, and one of a single subnet which subnet; a subnet says which network. */
function vipOf({ portID, subnetID, networkID, address, portSubnetID, additional }: VipPlace) {
  const more = additional && {
    additional_vips: [
      { subnet_id: additional.subnetID, ...(additional.address !== undefined && { ip_address: additional.address }) },
    ],
  };
  if (portID !== undefined) {
    return { vip_port_id: portID, ...(portSubnetID !== undefined && { vip_subnet_id: portSubnetID }), ...more };
  }
  const place = subnetID === undefined ? networkID && { vip_network_id: networkID } : { vip_subnet_id: subnetID };
  return { ...place, ...(address !== undefined && { vip_address: address }), ...more };
}

function treeOf({ listener, pool, members, monitor }: DesiredPort): ListenerTree {
  return { ...listener, default_pool: { ...pool, members, ...(monitor && { healthmonitor: monitor }) } };
}
