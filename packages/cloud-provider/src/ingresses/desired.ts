import { createHash } from 'node:crypto';
import type { ObjectMeta } from '@fairway/kube/object/meta';
import type { L7PolicyFields, L7RuleFields } from '@fairway/openstack/types/l7-policy';
import type { ListenerFields, LoadBalancerCreate, PoolTree } from '@fairway/openstack/types/load-balancer';
import type { DesiredPort } from '../load-balancers/desired.ts';
import type { MemberAddress } from '../load-balancers/members.ts';
import type { LoadBalancerSettings } from '../load-balancers/settings.ts';
import type { BackendPlace } from './backends.ts';
import { backendsOf, type IngressWishes, poolNameOf } from './ingress-wishes.ts';
import { rulesOf } from './l7-rules.ts';
import { type Backend, EVERY_PATH, type Route } from './route.ts';
import { plainTraffic } from './tls-traffic.ts';

export type DesiredPool = Pick<DesiredPort, 'pool' | 'members' | 'monitor'>;

/** Where requests go: to the pool of this name, or, by the client, to what this is put before their path. */
export type PolicyTarget = { readonly pool: string } | { readonly redirectPrefix: string };

export interface DesiredPolicy {
  readonly name: string;
  /** Says which rules it has, and where a redirect leads: that is not changed, another policy takes its place. */
  readonly matchTag: string;
  readonly rules: readonly L7RuleFields[];
  readonly target: PolicyTarget;
}

export interface DesiredListener {
  readonly listener: ListenerFields;
  /** In the order in which they count. */
  readonly policies: readonly DesiredPolicy[];
  /** Name of a pool. */
  readonly defaultPool: string | undefined;
}

/** The load balancer that an Ingress wants. */
export interface DesiredIngress {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly vipSubnetID: string | undefined;
  /** Each has a port of its own. */
  readonly listeners: readonly DesiredListener[];
  /** By their names, which are unique; listeners share them. */
  readonly pools: readonly DesiredPool[];
}

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

const MAX_NAME = 255;
/** Of requests that nothing is to answer: 503, as Octavia has no 404. */
const NOWHERE = 'pool_nowhere';

/** Pure. Names as octavia-ingress-controller gives them; nothing is found by them but the parts within one's own load balancer. */
export function desiredIngress(wishes: IngressWishes, context: IngressContext): DesiredIngress {
  const { settings, ingress, tags } = context;
  const { namespace, name } = ingress;
  const listeners = desiredListeners(wishes, context);
  const isNowhereUsed = listeners.some(({ policies }) => policies.some(({ target }) => poolOf(target) === NOWHERE));
  return {
    name: `kube_ingress_${settings.clusterName}_${namespace}_${name}`.slice(0, MAX_NAME),
    description: `Kubernetes Ingress ${namespace}/${name} from cluster ${settings.clusterName}`.slice(0, MAX_NAME),
    tags,
    vipSubnetID: settings.subnetID,
    listeners,
    pools: [
      ...backendsOf(wishes).map((backend) => desiredPool(backend, context)),
      ...(isNowhereUsed ? [emptyPool(NOWHERE, tags)] : []),
    ],
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
    insert_headers: { 'X-Forwarded-For': 'true', 'X-Forwarded-Port': 'true', 'X-Forwarded-Proto': 'true' },
    ...(sourceRanges.length > 0 && { allowed_cidrs: sourceRanges }),
    tags,
  };
}

function routePolicy(route: Route, defaultBackend: Backend | undefined): DesiredPolicy {
  const rules = rulesOf(route);
  const backend = route.backend ?? defaultBackend;
  return {
    name: `${route.host || '*'}${route.path.value}`.slice(0, MAX_NAME),
    matchTag: matchTag(rules),
    rules,
    target: { pool: backend === undefined ? NOWHERE : poolNameOf(backend) },
  };
}

/** The client asks for the same path by HTTPS then. */
function redirectPolicy(host: string): DesiredPolicy {
  const rules = rulesOf({ host, path: EVERY_PATH });
  const redirectPrefix = `https://${host}`;
  return {
    name: `${host} to HTTPS`.slice(0, MAX_NAME),
    matchTag: matchTag([rules, redirectPrefix]),
    rules,
    target: { redirectPrefix },
  };
}

function matchTag(content: unknown): string {
  return `fairway-match-${createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 32)}`;
}

function poolOf(target: PolicyTarget): string | undefined {
  return 'pool' in target ? target.pool : undefined;
}

function desiredPool(backend: Backend, { placeOf, members, settings, tags }: IngressContext): DesiredPool {
  const place = placeOf(backend);
  const empty = emptyPool(poolNameOf(backend), tags);
  if ('problem' in place) return empty;
  const { delay, timeout, maxRetries, maxRetriesDown } = settings.monitor;
  return {
    ...empty,
    members: members.map(({ node, address }) => ({
      name: node,
      address,
      protocol_port: place.nodePort,
      ...(settings.memberSubnetID !== undefined && { subnet_id: settings.memberSubnetID }),
    })),
    // Of a node that is down, or has no endpoints of a Service with the policy Local, it hears nothing.
    monitor: {
      name: `monitor_${backend.service}_${backend.port}`,
      type: 'TCP',
      delay,
      timeout,
      max_retries: maxRetries,
      max_retries_down: maxRetriesDown,
      tags,
    },
  };
}

function emptyPool(name: string, tags: readonly string[]): DesiredPool {
  const pool = { name, protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN', session_persistence: null, tags };
  return { pool, members: [], monitor: undefined };
}

/** The call that makes all of it at once. */
export function createBody(desired: DesiredIngress): LoadBalancerCreate {
  const { name, description, tags, vipSubnetID, listeners, pools } = desired;
  return {
    name,
    description,
    tags,
    ...(vipSubnetID !== undefined && { vip_subnet_id: vipSubnetID }),
    pools: pools.map(treeOf),
    listeners: listeners.map(({ listener, policies, defaultPool }) => ({
      ...listener,
      ...(defaultPool !== undefined && { default_pool: { name: defaultPool } }),
      l7policies: policies.map((policy, index) => ({
        ...policyFields(policy, tags, index + 1),
        rules: policy.rules,
        ...('pool' in policy.target && { redirect_pool: { name: policy.target.pool } }),
      })),
    })),
  };
}

function treeOf({ pool, members, monitor }: DesiredPool): PoolTree {
  return { ...pool, members, ...(monitor && { healthmonitor: monitor }) };
}

/** 308: the method stays, and clients remember it. */
const PERMANENTLY = 308;

/** A policy as a call takes it, but for its rules and its pool. */
export function policyFields(
  { name, matchTag: match, target }: DesiredPolicy,
  tags: readonly string[],
  position: number,
): L7PolicyFields {
  const action =
    'pool' in target
      ? ({ action: 'REDIRECT_TO_POOL' } as const)
      : ({
          action: 'REDIRECT_PREFIX',
          redirect_prefix: target.redirectPrefix,
          redirect_http_code: PERMANENTLY,
        } as const);
  return { name, tags: [...tags, match], position, ...action };
}
