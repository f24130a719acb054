import type { ObjectMeta } from '@fairway/kube/object/meta';
import type { BackendNodePort } from '../l7/backends.ts';
import {
  type DesiredListener,
  type DesiredPolicy,
  type DesiredRouting,
  EMPTY_POOL,
  emptyPool,
  FORWARDED_HEADERS,
  MAX_NAME_LENGTH,
  matchTagOf,
  poolOnNodes,
  terminatedTls,
} from '../l7/desired-routing.ts';
import { rulesOf } from '../l7/l7-rules.ts';
import { providerChoice } from '../l7/load-balancer-placement.ts';
import { type Backend, EVERY_PATH, type Route } from '../l7/route.ts';
import type { MemberAddress } from '../load-balancers/members.ts';
import type { LoadBalancerSettings } from '../load-balancers/settings.ts';
import type { Certificates } from '../tls/barbican-certificates.ts';
import { backendsOf, type IngressLoadBalancerSpec, poolNameOf } from './spec-from-ingress.ts';
import { plainTraffic } from './tls-traffic.ts';

export interface IngressContext {
  readonly settings: LoadBalancerSettings;
  readonly ingress: Pick<ObjectMeta, 'namespace' | 'name'>;
  readonly members: readonly MemberAddress[];
  /** Ownership tags: see `tenancy/cloud/ownership`. */
  readonly tags: readonly string[];
  readonly nodePortOf: (backend: Backend) => BackendNodePort;
  /** Empty if no host uses TLS. */
  readonly certificates?: Certificates | undefined;
}

/**
 * The desired load balancer of an Ingress. Pure. Names are the same as octavia-ingress-controller's; they are used for
 * lookup only within the load balancer.
 */
export function desiredIngress(balancerSpec: IngressLoadBalancerSpec, context: IngressContext): DesiredRouting {
  const { settings, ingress, members, tags, nodePortOf } = context;
  const { namespace, name } = ingress;
  const { vip, memberSubnetID } = balancerSpec.place;
  const listeners = desiredListeners(balancerSpec, context);
  const needsEmptyPool = listeners.some(({ policies }) => policies.some(({ target }) => target === EMPTY_POOL));
  const desiredPool = (backend: Backend) => {
    const monitorName = `monitor_${backend.service}_${backend.port}`;
    const on = { settings, memberSubnetID, members, tags, monitorName };
    return poolOnNodes(poolNameOf(backend), nodePortOf(backend), on);
  };
  return {
    name: `kube_ingress_${settings.clusterName}_${namespace}_${name}`.slice(0, MAX_NAME_LENGTH),
    description: `Kubernetes Ingress ${namespace}/${name} from cluster ${settings.clusterName}`.slice(
      0,
      MAX_NAME_LENGTH,
    ),
    tags,
    ...providerChoice(settings),
    vip,
    listeners,
    pools: [
      ...backendsOf(balancerSpec).map(desiredPool),
      ...(needsEmptyPool ? [emptyPool(EMPTY_POOL, tags, settings)] : []),
    ],
  };
}

function desiredListeners(
  balancerSpec: IngressLoadBalancerSpec,
  { tags, certificates }: IngressContext,
): readonly DesiredListener[] {
  const { tls, defaultBackend } = balancerSpec;
  const fields = listenerFields(balancerSpec, tags);
  const plain = plainTraffic(balancerSpec);
  const http = plain && {
    listener: { ...fields, name: 'http', protocol: 'HTTP', protocol_port: 80 },
    policies: [
      ...plain.redirectedHosts.map(redirectPolicy),
      ...plain.routes.map((route) => routePolicy(route, route.isBlocked ? undefined : defaultBackend)),
    ],
    defaultPool: plain.defaultBackend && poolNameOf(plain.defaultBackend),
  };
  const https = tls &&
    certificates && {
      listener: { ...fields, ...terminatedTls(certificates), name: 'https', protocol_port: 443 },
      policies: balancerSpec.routes.map((route) => routePolicy(route, defaultBackend)),
      defaultPool: defaultBackend && poolNameOf(defaultBackend),
    };
  // Create HTTPS before HTTP redirects to it.
  return [https, http].filter((listener) => listener !== undefined);
}

function listenerFields({ timeouts, sourceRanges }: IngressLoadBalancerSpec, tags: readonly string[]) {
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
    name: `${route.host || '*'}${route.path.value}`.slice(0, MAX_NAME_LENGTH),
    matchTag: matchTagOf(rules),
    rules,
    target: backend === undefined ? EMPTY_POOL : poolNameOf(backend),
  };
}

/** Preserves the request method; clients cache the redirect. */
const PERMANENT_REDIRECT = 308;

/** A policy that makes the client repeat the request over HTTPS. */
function redirectPolicy(host: string): DesiredPolicy {
  const rules = rulesOf({ host, path: EVERY_PATH });
  const target = {
    action: 'REDIRECT_PREFIX',
    redirect_prefix: `https://${host}`,
    redirect_http_code: PERMANENT_REDIRECT,
  } as const;
  return { name: `${host} to HTTPS`.slice(0, MAX_NAME_LENGTH), matchTag: matchTagOf(rules, target), rules, target };
}
