import { createHash } from 'node:crypto';
import type { L7PolicyFields, L7Redirect, L7RuleFields } from '@fairway/openstack/types/l7-policy';
import type { ListenerFields, LoadBalancerCreate, PoolTree } from '@fairway/openstack/types/load-balancer';
import type { DesiredPort } from '../load-balancers/desired.ts';
import type { MemberAddress } from '../load-balancers/members.ts';
import type { LoadBalancerSettings } from '../load-balancers/settings.ts';
import type { Certificates } from '../tls/barbican-certificates.ts';
import type { BackendNodePort } from './backends.ts';
import type { LoadBalancerPlacement, ProviderChoice } from './load-balancer-placement.ts';

export type DesiredPool = Pick<DesiredPort, 'pool' | 'members' | 'monitor'>;

export interface DesiredPolicy {
  readonly name: string;
  /** Encodes the rules and the redirect target, which are immutable: if they change, the policy is replaced. */
  readonly matchTag: string;
  readonly rules: readonly L7RuleFields[];
  /** Name of a pool, or a redirect target. */
  readonly target: string | L7Redirect;
}

export interface DesiredListener {
  readonly listener: ListenerFields;
  /** In order of precedence. */
  readonly policies: readonly DesiredPolicy[];
  /** Name of a pool. */
  readonly defaultPool: string | undefined;
}

/** The desired layer-7 load balancer. */
export interface DesiredRouting extends ProviderChoice {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly vip: LoadBalancerPlacement['vip'];
  /** Each listener has a distinct port. */
  readonly listeners: readonly DesiredListener[];
  /** Pools have unique names and are shared by listeners. */
  readonly pools: readonly DesiredPool[];
}

/** Octavia's maximum name length. */
export const MAX_NAME_LENGTH = 255;
/** Pool for requests without a backend: Octavia responds with 503, because it cannot return 404. */
export const EMPTY_POOL = 'pool_nowhere';
/** Headers that identify clients to Services. */
export const FORWARDED_HEADERS = {
  'X-Forwarded-For': 'true',
  'X-Forwarded-Port': 'true',
  'X-Forwarded-Proto': 'true',
} as const;

/** The protocol of an HTTPS listener in Octavia. */
export function terminatedTls([first, ...others]: Certificates) {
  return { protocol: 'TERMINATED_HTTPS', default_tls_container_ref: first, sni_container_refs: others } as const;
}

/** For redirect policies this includes the target, which is immutable too. */
export function matchTagOf(rules: readonly L7RuleFields[], redirect?: L7Redirect): string {
  const text = JSON.stringify(redirect === undefined ? rules : [rules, redirect]);
  return `fairway-match-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

/** `algorithm` defaults to that of Service pools. */
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
  /** Name of the pool's health monitor. */
  readonly monitorName: string;
}

/** A pool of all nodes on this port. */
export function poolOnNodes(name: string, place: BackendNodePort, context: PoolContext): DesiredPool {
  const { settings, memberSubnetID, members, tags, monitorName } = context;
  const withoutMembers = emptyPool(name, tags, settings);
  if ('problem' in place) return withoutMembers;
  const { delay, timeout, maxRetries, maxRetriesDown } = settings.monitor;
  return {
    ...withoutMembers,
    members: members.map(({ node, address }) => ({
      name: node,
      address,
      protocol_port: place.nodePort,
      ...(memberSubnetID !== undefined && { subnet_id: memberSubnetID }),
    })),
    // The monitor detects nodes that are down or have no endpoints for a Service with policy Local.
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

/** The request that creates the load balancer and all its parts in one call. */
export function createBody(desired: DesiredRouting): LoadBalancerCreate {
  const { name, description, tags, provider, flavorID, availabilityZone, vip, listeners, pools } = desired;
  return {
    name,
    description,
    tags,
    ...(provider !== undefined && { provider }),
    ...(flavorID !== undefined && { flavor_id: flavorID }),
    ...(availabilityZone !== undefined && { availability_zone: availabilityZone }),
    // A subnet implies its network.
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

/** The request body of a policy, without its rules and pool. */
export function policyFields(
  { name, matchTag, target }: DesiredPolicy,
  tags: readonly string[],
  position: number,
): L7PolicyFields {
  const redirect = typeof target === 'string' ? ({ action: 'REDIRECT_TO_POOL' } as const) : target;
  return { name, tags: [...tags, matchTag], position, ...redirect };
}
