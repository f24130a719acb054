import {
  type CloudResourceOwner,
  type CloudResourcesStatus,
  type ClusterLoadBalancer,
  MAX_RESOURCES,
} from '@fairway/api/kinds/cloud-resources-request';
import type { Snapshot } from '@fairway/openstack/cache/snapshot';
import { withTimeZone } from '@fairway/openstack/types/cloud-time';
import type { Listener, LoadBalancer, Pool } from '@fairway/openstack/types/load-balancer';
import type { FloatingIp } from '@fairway/openstack/types/network';
import { gatewayOwner, ingressOwner, serviceOwner } from '@fairway/tenancy/cloud/ownership';

export interface ListedLoadBalancers {
  /** Created for the cluster, oldest first. */
  readonly own: readonly LoadBalancer[];
  /** Used by its Services, but owned by someone else. */
  readonly shared: readonly LoadBalancer[];
  readonly projectID: string;
  readonly listeners: Snapshot<Listener> | undefined;
  readonly pools: Snapshot<Pool> | undefined;
  readonly floatingIps: Snapshot<FloatingIp>;
}

const KINDS = { 'external service': 'Service', Ingress: 'Ingress', Gateway: 'Gateway' } as const;
/** The description that load balancers are created with. */
const DESCRIPTION = /^Kubernetes (external service|Ingress|Gateway) ([^/ ]+)\/(\S+) from cluster /;

/** Load balancers with their listeners, as tenants see them. */
export function loadBalancerViews(
  listed: ListedLoadBalancers,
): Pick<CloudResourcesStatus, 'loadBalancers' | 'moreLoadBalancers'> {
  const { own, shared, listeners, pools, floatingIps } = listed;
  const addresses = new Map(
    [...floatingIps.items.values()].map(({ port_id, floating_ip_address }) => [port_id, floating_ip_address]),
  );
  const all = [...own.map((each) => ({ each, isShared: false })), ...shared.map((each) => ({ each, isShared: true }))];
  const remaining = all.filter(({ each }) => each.provisioning_status !== 'DELETED');
  const loadBalancers = remaining.slice(0, MAX_RESOURCES).map(({ each, isShared }): ClusterLoadBalancer => {
    const owner = isShared ? undefined : ownerOf(each, listed.projectID);
    const floatingAddress = each.vip_port_id ? addresses.get(each.vip_port_id) : undefined;
    return {
      id: each.id,
      ...(each.name && { name: each.name }),
      ...(owner && { owner }),
      address: each.vip_address,
      ...(floatingAddress !== undefined && { floatingAddress }),
      ...(each.provider && { provider: each.provider }),
      provisioningStatus: each.provisioning_status,
      ...(each.operating_status && { operatingStatus: each.operating_status }),
      isShared,
      ...(each.created_at && { createdAt: withTimeZone(each.created_at) }),
      listeners: each.listeners.flatMap(({ id }) => listenerView(listeners?.items.get(id), pools)),
    };
  });
  const more = remaining.length - loadBalancers.length;
  return { loadBalancers, ...(more > 0 && { moreLoadBalancers: more }) };
}

function listenerView(
  listener: Listener | undefined,
  pools: Snapshot<Pool> | undefined,
): ClusterLoadBalancer['listeners'] {
  if (listener === undefined) return [];
  const { protocol, protocol_port: port, default_pool_id } = listener;
  const pool = default_pool_id ? pools?.items.get(default_pool_id) : undefined;
  const operatingStatus = pool?.operating_status ?? listener.operating_status;
  return [
    {
      protocol,
      port,
      ...(pool && { members: pool.members.length }),
      ...(operatingStatus && { operatingStatus }),
    },
  ];
}

/**
 * The owner and purpose of a load balancer, from its tags; its name may be outdated, because it was set at creation.
 */
function ownerOf(loadBalancer: LoadBalancer, projectID: string): CloudResourceOwner | undefined {
  const service = serviceOwner(loadBalancer, projectID);
  const ingress = ingressOwner(loadBalancer, projectID);
  const gateway = gatewayOwner(loadBalancer, projectID);
  const [kind, uid] = service
    ? (['Service', service.serviceUid] as const)
    : ingress
      ? (['Ingress', ingress.ingressUid] as const)
      : gateway
        ? (['Gateway', gateway.gatewayUid] as const)
        : [];
  if (kind === undefined) return undefined;
  const [, ownerKind, namespace, name] = DESCRIPTION.exec(loadBalancer.description ?? '') ?? [];
  const isNamedInDescription = ownerKind !== undefined && KINDS[ownerKind as keyof typeof KINDS] === kind;
  return { kind, uid, ...(isNamedInDescription && namespace && name && { namespace, name }) };
}
