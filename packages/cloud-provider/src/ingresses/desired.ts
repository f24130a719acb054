import type { ObjectMeta } from '@fairway/kube/object/meta';
import type { BackendPlace } from '../l7/backends.ts';
import {
  type DesiredListener,
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
import { type Backend, EVERY_PATH, type Route } from '../l7/route.ts';
import type { MemberAddress } from '../load-balancers/members.ts';
import type { LoadBalancerSettings } from '../load-balancers/settings.ts';
import { backendsOf, type IngressWishes, poolNameOf } from './ingress-wishes.ts';
import { plainTraffic } from './tls-traffic.ts';

export interface IngressContext {
  readonly settings: LoadBalancerSettings;
  readonly ingress: Pick<ObjectMeta, 'namespace' | 'name'>;
  readonly members: readonly MemberAddress[];
  /** Marks of the owner: see `tenancy/cloud/ownership`. */
  readonly tags: readonly string[];
  readonly placeOf: (backend: Backend) => BackendPlace;
  /** References to Barbican: the first is for clients that name no host, or one of no certificate. Without any, nothing is encrypted. */
  readonly certificates?: readonly [string, ...string[]] | undefined;
}

/** The load balancer that an Ingress wants. Pure. Names as octavia-ingress-controller gives them; nothing is found by them but the parts within one's own load balancer. */
export function desiredIngress(wishes: IngressWishes, context: IngressContext): DesiredRouting {
  const { settings, ingress, members, tags, placeOf } = context;
  const { namespace, name } = ingress;
  const listeners = desiredListeners(wishes, context);
  const isNowhereUsed = listeners.some(({ policies }) => policies.some(({ target }) => target === NOWHERE));
  const desiredPool = (backend: Backend) => {
    const monitorName = `monitor_${backend.service}_${backend.port}`;
    return poolOnNodes(poolNameOf(backend), placeOf(backend), { settings, members, tags, monitorName });
  };
  return {
    name: `kube_ingress_${settings.clusterName}_${namespace}_${name}`.slice(0, MAX_NAME),
    description: `Kubernetes Ingress ${namespace}/${name} from cluster ${settings.clusterName}`.slice(0, MAX_NAME),
    tags,
    vipSubnetID: settings.subnetID,
    vipNetworkID: settings.networkID,
    listeners,
    pools: [...backendsOf(wishes).map(desiredPool), ...(isNowhereUsed ? [emptyPool(NOWHERE, tags)] : [])],
  };
}

function desiredListeners(wishes: IngressWishes, { tags, certificates }: IngressContext): readonly DesiredListener[] {
  const { tls, defaultBackend } = wishes;
  const fields = listenerFields(wishes, tags);
  const plain = plainTraffic(wishes);
  const http = plain && {
    listener: { ...fields, name: 'http', protocol: 'HTTP', protocol_port: 80 },
    policies: [
      ...plain.redirectedHosts.map(redirectPolicy),
      ...plain.routes.map((route) => routePolicy(route, route.isBarred ? undefined : defaultBackend)),
    ],
    defaultPool: plain.defaultBackend && poolNameOf(plain.defaultBackend),
  };
  const https = tls &&
    certificates && {
      listener: { ...fields, ...certificateFields(certificates), name: 'https', ...HTTPS },
      policies: wishes.routes.map((route) => routePolicy(route, defaultBackend)),
      defaultPool: defaultBackend && poolNameOf(defaultBackend),
    };
  // HTTPS is there before HTTP leads to it.
  return [https, http].filter((listener) => listener !== undefined);
}

const HTTPS = { protocol: 'TERMINATED_HTTPS', protocol_port: 443 } as const;

function certificateFields([first, ...others]: readonly [string, ...string[]]) {
  return { default_tls_container_ref: first, sni_container_refs: others };
}

function listenerFields({ timeouts, sourceRanges }: IngressWishes, tags: readonly string[]) {
  return {
    timeout_client_data: timeouts.clientData,
    timeout_member_connect: timeouts.memberConnect,
    timeout_member_data: timeouts.memberData,
    timeout_tcp_inspect: timeouts.tcpInspect,
    insert_headers: FORWARDED_HEADERS,
    ...(sourceRanges.length > 0 && { allowed_cidrs: sourceRanges }),
    tags,
  };
}

function routePolicy(route: Route, defaultBackend: Backend | undefined): DesiredPolicy {
  const rules = rulesOf(route);
  const backend = route.backend ?? defaultBackend;
  return {
    name: `${route.host || '*'}${route.path.value}`.slice(0, MAX_NAME),
    matchTag: matchTagOf(rules),
    rules,
    target: backend === undefined ? NOWHERE : poolNameOf(backend),
  };
}

/** The method stays, and clients remember it. */
const PERMANENTLY = 308;

/** The client asks for the same path by HTTPS then. */
function redirectPolicy(host: string): DesiredPolicy {
  const rules = rulesOf({ host, path: EVERY_PATH });
  const target = {
    action: 'REDIRECT_PREFIX',
    redirect_prefix: `https://${host}`,
    redirect_http_code: PERMANENTLY,
  } as const;
  return { name: `${host} to HTTPS`.slice(0, MAX_NAME), matchTag: matchTagOf(rules, target), rules, target };
}
