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
import type { LoadBalancerSpec, PortSpec, Timeouts } from './load-balancer-spec.ts';
import type { MemberAddress } from './members.ts';
import { loadBalancerDescription, loadBalancerName, partName } from './names.ts';
import { usesMemberFamily } from './provider-limits.ts';
import type { VipPlacement } from './vip-placements.ts';

/** A Service port as a listener with its pool and members. */
export interface DesiredPort {
  readonly listener: ListenerFields;
  readonly pool: PoolFields;
  readonly members: readonly MemberCreate[];
  readonly monitor: HealthMonitorFields | undefined;
}

/** The desired load balancer of a Service. */
export interface DesiredLoadBalancer {
  readonly name: string;
  readonly description: string;
  /** Tags of the load balancer; `partTags` are the tags of its listeners and pools. */
  readonly tags: readonly string[];
  readonly provider: string | undefined;
  readonly vip: LoadBalancerSpec['vip'];
  /** Placement of a new load balancer's addresses. */
  readonly place: VipPlacement;
  readonly flavorID: string | undefined;
  readonly availabilityZone: string | undefined;
  readonly ports: readonly DesiredPort[];
}

export interface DesiredContext {
  readonly clusterName: string;
  readonly service: Pick<ObjectMeta, 'namespace' | 'name'>;
  readonly members: readonly MemberAddress[];
  /** Members for ports whose clients reach only members of their own family; defaults to `members`. */
  readonly membersByFamily?: readonly MemberAddress[];
  /**
   * Subnets of the nodes and the load balancer if their families differ; undefined if all addresses are in the spec's
   * subnet.
   */
  readonly memberSubnets?: readonly KnownSubnet[] | undefined;
  /** Defaults to the placement in the spec. */
  readonly place?: VipPlacement | undefined;
  /** Ownership tags: see `tenancy/cloud/ownership`. */
  readonly tags: readonly string[];
  readonly partTags: readonly string[];
  /** The ID of the flavor in the spec. */
  readonly flavorID: string | undefined;
}

/** Pure. */
export function desiredLoadBalancer(balancerSpec: LoadBalancerSpec, context: DesiredContext): DesiredLoadBalancer {
  const { clusterName, service, tags, flavorID } = context;
  const name = loadBalancerName(clusterName, service);
  return {
    name,
    description: loadBalancerDescription(clusterName, service),
    tags,
    provider: balancerSpec.provider,
    vip: balancerSpec.vip,
    place: context.place ?? balancerSpec.vip,
    flavorID,
    availabilityZone: balancerSpec.availabilityZone,
    ports: balancerSpec.ports.map((port) => desiredPort(port, balancerSpec, name, context)),
  };
}

function desiredPort(
  port: PortSpec,
  balancerSpec: LoadBalancerSpec,
  name: string,
  context: DesiredContext,
): DesiredPort {
  const tags = context.partTags;
  return {
    listener: { ...listenerOf(port, balancerSpec), name: partName('listener', port.index, name), tags },
    pool: {
      name: partName('pool', port.index, name),
      protocol: port.poolProtocol,
      lb_algorithm: balancerSpec.algorithm,
      session_persistence: balancerSpec.persistsBySource ? { type: 'SOURCE_IP' } : null,
      tags,
    },
    members: port.nodePort === undefined ? [] : membersOf(port, port.nodePort, balancerSpec, context),
    monitor: port.monitor && { name: partName('monitor', port.index, name), tags, ...monitorOf(port.monitor) },
  };
}

function listenerOf({ listenerProtocol, port }: PortSpec, balancerSpec: LoadBalancerSpec): ListenerFields {
  const { timeouts, tlsContainerRef, addsForwardedFor } = balancerSpec;
  const isHttp = listenerProtocol === 'HTTP' || listenerProtocol === 'TERMINATED_HTTPS';
  return {
    protocol: listenerProtocol,
    protocol_port: port,
    connection_limit: balancerSpec.connectionLimit,
    ...(timeouts && timeoutFields(timeouts)),
    ...(balancerSpec.sourceRanges.length > 0 && { allowed_cidrs: balancerSpec.sourceRanges }),
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

function membersOf(
  port: PortSpec,
  nodePort: number,
  balancerSpec: LoadBalancerSpec,
  context: DesiredContext,
): readonly MemberCreate[] {
  const { monitor } = port;
  const { members, membersByFamily = members } = context;
  return (usesMemberFamily(port, balancerSpec) ? membersByFamily : members).map(({ node, address }) => {
    const subnetID = subnetOf(address, balancerSpec, context);
    return {
      name: node,
      address,
      protocol_port: nodePort,
      ...(subnetID !== undefined && { subnet_id: subnetID }),
      ...(monitor?.port !== undefined && { monitor_port: monitor.port }),
    };
  });
}

/** The spec's subnet, unless it is known to be in the other family. */
function subnetOf(
  address: string,
  { memberSubnetID: named }: LoadBalancerSpec,
  { memberSubnets: known }: DesiredContext,
) {
  if (known === undefined) return named;
  const isOtherFamily = known.some(({ id, family }) => id === named && family !== familyOf(address));
  if (named !== undefined && !isOtherFamily) return named;
  return known.find(({ contains }) => contains(address))?.id;
}

function monitorOf({ type, delay, timeout, maxRetries, maxRetriesDown }: NonNullable<PortSpec['monitor']>) {
  return {
    type,
    delay,
    timeout,
    max_retries: maxRetries,
    max_retries_down: maxRetriesDown,
    ...(type === 'HTTP' && { http_method: 'GET', url_path: '/healthz', expected_codes: '200' }),
  };
}

/** The request that creates the load balancer and all its parts in one call. */
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

/** A port implies its network and address, and its subnet if it has only one. A subnet implies its network. */
function vipOf({ portID, subnetID, networkID, address, portSubnetID, additional }: VipPlacement) {
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
