import { createHash } from 'node:crypto';
import type { ObjectMeta } from '@fairway/kube/object/meta';
import type { L7RuleFields } from '@fairway/openstack/types/l7-policy';
import type { ListenerFields, LoadBalancerCreate, PoolTree } from '@fairway/openstack/types/load-balancer';
import type { DesiredPort } from '../load-balancers/desired.ts';
import type { MemberAddress } from '../load-balancers/members.ts';
import type { LoadBalancerSettings } from '../load-balancers/settings.ts';
import type { BackendPlace } from './backends.ts';
import { backendsOf, type IngressWishes, poolNameOf } from './ingress-wishes.ts';
import { rulesOf } from './l7-rules.ts';
import type { Backend, Route } from './route.ts';

export type DesiredPool = Pick<DesiredPort, 'pool' | 'members' | 'monitor'>;

export interface DesiredPolicy {
  readonly name: string;
  /** Says which rules it has: they are not changed, a policy with others takes its place. */
  readonly matchTag: string;
  readonly rules: readonly L7RuleFields[];
  /** Name of the pool. */
  readonly pool: string;
}

/** The load balancer that an Ingress wants. */
export interface DesiredIngress {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly vipSubnetID: string | undefined;
  readonly listener: ListenerFields;
  /** By their names, which are unique. */
  readonly pools: readonly DesiredPool[];
  /** In the order in which they count. */
  readonly policies: readonly DesiredPolicy[];
  /** Name of a pool. */
  readonly defaultPool: string | undefined;
}

export interface IngressContext {
  readonly settings: LoadBalancerSettings;
  readonly ingress: Pick<ObjectMeta, 'namespace' | 'name'>;
  readonly members: readonly MemberAddress[];
  /** Marks of the owner: see `tenancy/cloud/ownership`. */
  readonly tags: readonly string[];
  readonly placeOf: (backend: Backend) => BackendPlace;
}

const MAX_NAME = 255;
/** Of requests that nothing is to answer: 503, as Octavia has no 404. */
const NOWHERE = 'pool_nowhere';

/** Pure. Names as octavia-ingress-controller gives them; nothing is found by them but the parts within one's own load balancer. */
export function desiredIngress(wishes: IngressWishes, context: IngressContext): DesiredIngress {
  const { settings, ingress, tags } = context;
  const { namespace, name } = ingress;
  const { routes, defaultBackend } = wishes;
  const policies = routes.map((route) => desiredPolicy(route, defaultBackend));
  const isNowhereUsed = policies.some(({ pool }) => pool === NOWHERE);
  return {
    name: `kube_ingress_${settings.clusterName}_${namespace}_${name}`.slice(0, MAX_NAME),
    description: `Kubernetes Ingress ${namespace}/${name} from cluster ${settings.clusterName}`.slice(0, MAX_NAME),
    tags,
    vipSubnetID: settings.subnetID,
    listener: listenerOf(wishes, tags),
    pools: [
      ...backendsOf(wishes).map((backend) => desiredPool(backend, context)),
      ...(isNowhereUsed ? [emptyPool(NOWHERE, tags)] : []),
    ],
    policies,
    defaultPool: defaultBackend && poolNameOf(defaultBackend),
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
    insert_headers: { 'X-Forwarded-For': 'true', 'X-Forwarded-Port': 'true', 'X-Forwarded-Proto': 'true' },
    ...(sourceRanges.length > 0 && { allowed_cidrs: sourceRanges }),
    tags,
  };
}

function desiredPolicy(route: Route, defaultBackend: Backend | undefined): DesiredPolicy {
  const rules = rulesOf(route);
  const backend = route.backend ?? defaultBackend;
  return {
    name: `${route.host || '*'}${route.path.value}`.slice(0, MAX_NAME),
    matchTag: `fairway-match-${createHash('sha256').update(JSON.stringify(rules)).digest('hex').slice(0, 32)}`,
    rules,
    pool: backend === undefined ? NOWHERE : poolNameOf(backend),
  };
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
  const { name, description, tags, vipSubnetID, listener, pools, policies, defaultPool } = desired;
  // Each pool is defined once: where it is the default, or beside the listener.
  const isDefault = ({ pool }: DesiredPool) => pool.name === defaultPool;
  const [whole] = pools.filter(isDefault).map(treeOf);
  return {
    name,
    description,
    tags,
    ...(vipSubnetID !== undefined && { vip_subnet_id: vipSubnetID }),
    pools: pools.filter((each) => !isDefault(each)).map(treeOf),
    listeners: [
      {
        ...listener,
        ...(whole && { default_pool: whole }),
        l7policies: policies.map((policy, index) => ({
          ...policyFields(policy, tags, index + 1),
          redirect_pool: { name: policy.pool },
        })),
      },
    ],
  };
}

function treeOf({ pool, members, monitor }: DesiredPool): PoolTree {
  return { ...pool, members, ...(monitor && { healthmonitor: monitor }) };
}

/** A policy as a call takes it. */
export function policyFields({ name, matchTag, rules }: DesiredPolicy, tags: readonly string[], position: number) {
  return { name, tags: [...tags, matchTag], action: 'REDIRECT_TO_POOL', position, rules } as const;
}
