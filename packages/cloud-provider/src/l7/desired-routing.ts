import { createHash } from 'node:crypto';
import type { L7PolicyFields, L7Redirect, L7RuleFields } from '@fairway/openstack/types/l7-policy';
import type { ListenerFields, LoadBalancerCreate, PoolTree } from '@fairway/openstack/types/load-balancer';
import type { DesiredPort } from '../load-balancers/desired.ts';
import type { MemberAddress } from '../load-balancers/members.ts';
import type { LoadBalancerSettings } from '../load-balancers/settings.ts';
import type { Certificates } from '../tls/kept-certificates.ts';
import type { BackendPlace } from './backends.ts';
import type { BalancerMaker, BalancerPlace } from './balancer-place.ts';

export type DesiredPool = Pick<DesiredPort, 'pool' | 'members' | 'monitor'>;

export interface DesiredPolicy {
  readonly name: string;
  /** Says which rules it has, and where a redirect leads: that is not changed, another policy takes its place. */
  readonly matchTag: string;
  readonly rules: readonly L7RuleFields[];
  /** Name of a pool, or where else requests are sent. */
  readonly target: string | L7Redirect;
}

export interface DesiredListener {
  readonly listener: ListenerFields;
  /** In the order in which they count. */
  readonly policies: readonly DesiredPolicy[];
  /** Name of a pool. */
  readonly defaultPool: string | undefined;
}

/** The load balancer that reads HTTP requests and sends them where they are to go. */
export interface DesiredRouting extends BalancerMaker {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly vip: BalancerPlace['vip'];
  /** Each has a port of its own. */
  readonly listeners: readonly DesiredListener[];
  /** By their names, which are unique; listeners share them. */
  readonly pools: readonly DesiredPool[];
}

/** Octavia's limit of names. */
export const MAX_NAME = 255;
/** Of requests that nothing is to answer: 503, as Octavia has no 404. */
export const NOWHERE = 'pool_nowhere';
/** What Services learn of clients. */
export const FORWARDED_HEADERS = {
  'X-Forwarded-For': 'true',
  'X-Forwarded-Port': 'true',
  'X-Forwarded-Proto': 'true',
} as const;

/** What a listener of HTTPS has in place of its protocol. */
export function terminated([first, ...others]: Certificates) {
  return { protocol: 'TERMINATED_HTTPS', default_tls_container_ref: first, sni_container_refs: others } as const;
}

/** Of a policy that redirects also where to: it is not changed either. */
export function matchTagOf(rules: readonly L7RuleFields[], redirect?: L7Redirect): string {
  const text = JSON.stringify(redirect === undefined ? rules : [rules, redirect]);
  return `fairway-match-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

/** `algorithm`: as of pools of Services by default. */
export function emptyPool(
  name: string,
  tags: readonly string[],
  { algorithm = 'ROUND_ROBIN' }: Pick<LoadBalancerSettings, 'algorithm'>,
): DesiredPool {
  const pool = { name, protocol: 'HTTP', lb_algorithm: algorithm, session_persistence: null, tags };
  return { pool, members: [], monitor: undefined };
}

export interface PoolContext {
  readonly settings: LoadBalancerSettings;
  readonly memberSubnetID: string | undefined;
  readonly members: readonly MemberAddress[];
  readonly tags: readonly string[];
  /** What is said of its health monitor. */
  readonly monitorName: string;
}

/** All nodes on a port. */
export function poolOnNodes(name: string, place: BackendPlace, context: PoolContext): DesiredPool {
  const { settings, memberSubnetID, members, tags, monitorName } = context;
  const empty = emptyPool(name, tags, settings);
  if ('problem' in place) return empty;
  const { delay, timeout, maxRetries, maxRetriesDown } = settings.monitor;
  return {
    ...empty,
    members: members.map(({ node, address }) => ({
      name: node,
      address,
      protocol_port: place.nodePort,
      ...(memberSubnetID !== undefined && { subnet_id: memberSubnetID }),
    })),
    // Of a node that is down, or has no endpoints of a Service with the policy Local, it hears nothing.
    monitor: {
      name: monitorName,
      type: 'TCP',
      delay,
      timeout,
      max_retries: maxRetries,
      max_retries_down: maxRetriesDown,
      tags,
    },
  };
}

/** The call that makes all of it at once. */
export function createBody(desired: DesiredRouting): LoadBalancerCreate {
  const { name, description, tags, provider, flavorID, availabilityZone, vip, listeners, pools } = desired;
  return {
    name,
    description,
    tags,
    ...(provider !== undefined && { provider }),
    ...(flavorID !== undefined && { flavor_id: flavorID }),
    ...(availabilityZone !== undefined && { availability_zone: availabilityZone }),
    // A subnet says which network.
    ...(vip.subnetID === undefined
      ? vip.networkID && { vip_network_id: vip.networkID }
      : { vip_subnet_id: vip.subnetID }),
    pools: pools.map(treeOf),
    listeners: listeners.map(({ listener, policies, defaultPool }) => ({
      ...listener,
      ...(defaultPool !== undefined && { default_pool: { name: defaultPool } }),
      l7policies: policies.map((policy, index) => ({
        ...policyFields(policy, tags, index + 1),
        rules: policy.rules,
        ...(typeof policy.target === 'string' && { redirect_pool: { name: policy.target } }),
      })),
    })),
  };
}

function treeOf({ pool, members, monitor }: DesiredPool): PoolTree {
  return { ...pool, members, ...(monitor && { healthmonitor: monitor }) };
}

/** A policy as a call takes it, but for its rules and its pool. */
export function policyFields(
  { name, matchTag, target }: DesiredPolicy,
  tags: readonly string[],
  position: number,
): L7PolicyFields {
  const redirect = typeof target === 'string' ? ({ action: 'REDIRECT_TO_POOL' } as const) : target;
  return { name, tags: [...tags, matchTag], position, ...redirect };
}
