import type { ObjectMeta } from '@fairway/kube/object/meta';
import type { ListenerFields } from '@fairway/openstack/types/load-balancer';
import type { BackendPlace } from '../l7/backends.ts';
import {
  type DesiredPolicy,
  type DesiredRouting,
  emptyPool,
  FORWARDED_HEADERS,
  MAX_NAME,
  matchTagOf,
  NOWHERE,
  poolOnNodes,
} from '../l7/desired-routing.ts';
import { rulesOf } from '../l7/l7-rules.ts';
import type { Backend, Route } from '../l7/route.ts';
import type { MemberAddress } from '../load-balancers/members.ts';
import type { LoadBalancerSettings } from '../load-balancers/settings.ts';
import { backendsOf, type IngressWishes, poolNameOf } from './ingress-wishes.ts';

export interface IngressContext {
  readonly settings: LoadBalancerSettings;
  readonly ingress: Pick<ObjectMeta, 'namespace' | 'name'>;
  readonly members: readonly MemberAddress[];
  /** Marks of the owner: see `tenancy/cloud/ownership`. */
  readonly tags: readonly string[];
  readonly placeOf: (backend: Backend) => BackendPlace;
}

/** The load balancer that an Ingress wants. Pure. Names as octavia-ingress-controller gives them; nothing is found by them but the parts within one's own load balancer. */
export function desiredIngress(wishes: IngressWishes, context: IngressContext): DesiredRouting {
  const { settings, ingress, members, tags, placeOf } = context;
  const { namespace, name } = ingress;
  const { routes, defaultBackend } = wishes;
  const policies = routes.map((route) => desiredPolicy(route, defaultBackend));
  const isNowhereUsed = policies.some(({ target }) => target === NOWHERE);
  const desiredPool = (backend: Backend) => {
    const monitorName = `monitor_${backend.service}_${backend.port}`;
    return poolOnNodes(poolNameOf(backend), placeOf(backend), { settings, members, tags, monitorName });
  };
  return {
    name: `kube_ingress_${settings.clusterName}_${namespace}_${name}`.slice(0, MAX_NAME),
    description: `Kubernetes Ingress ${namespace}/${name} from cluster ${settings.clusterName}`.slice(0, MAX_NAME),
    tags,
    vipSubnetID: settings.subnetID,
    pools: [...backendsOf(wishes).map(desiredPool), ...(isNowhereUsed ? [emptyPool(NOWHERE, tags)] : [])],
    listeners: [
      { listener: listenerOf(wishes, tags), policies, defaultPool: defaultBackend && poolNameOf(defaultBackend) },
    ],
  };
}

function listenerOf({ timeouts, sourceRanges }: IngressWishes, tags: readonly string[]): ListenerFields {
  return {
    name: 'http',
    protocol: 'HTTP',
    protocol_port: 80,
    timeout_client_data: timeouts.clientData,
    timeout_member_connect: timeouts.memberConnect,
    timeout_member_data: timeouts.memberData,
    timeout_tcp_inspect: timeouts.tcpInspect,
    insert_headers: FORWARDED_HEADERS,
    ...(sourceRanges.length > 0 && { allowed_cidrs: sourceRanges }),
    tags,
  };
}

function desiredPolicy(route: Route, defaultBackend: Backend | undefined): DesiredPolicy {
  const rules = rulesOf(route);
  const backend = route.backend ?? defaultBackend;
  return {
    name: `${route.host || '*'}${route.path.value}`.slice(0, MAX_NAME),
    matchTag: matchTagOf(rules),
    rules,
    target: backend === undefined ? NOWHERE : poolNameOf(backend),
  };
}
