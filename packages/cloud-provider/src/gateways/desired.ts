import type { ObjectMeta } from '@fairway/kube/object/meta';
import {
  type DesiredListener,
  type DesiredPool,
  type DesiredRouting,
  emptyPool,
  FORWARDED_HEADERS,
  MAX_NAME,
  matchTagOf,
  NOWHERE,
  poolOnNodes,
} from '../l7/desired-routing.ts';
import type { MemberAddress } from '../load-balancers/members.ts';
import type { LoadBalancerSettings } from '../load-balancers/settings.ts';
import { keyOf, type WeightedBackend } from './backend-refs.ts';
import type { RoutedPolicy, Routing } from './routing.ts';

export interface GatewayContext {
  readonly settings: LoadBalancerSettings;
  readonly gateway: Pick<ObjectMeta, 'namespace' | 'name'>;
  readonly members: readonly MemberAddress[];
  /** Marks of the owner: see `tenancy/cloud/ownership`. */
  readonly tags: readonly string[];
  /** Who may connect; empty: everybody. */
  readonly sourceRanges: readonly string[];
}

/** Octavia's heaviest member. */
const MAX_WEIGHT = 256;

/** The load balancer that a Gateway wants. Pure. Nothing is found by its names but the parts within it. */
export function desiredGateway({ ports, pools }: Routing, context: GatewayContext): DesiredRouting {
  const { settings, gateway, tags } = context;
  const { namespace, name } = gateway;
  const isNowhereUsed = [...ports.values()].some((policies) => policies.some(({ target }) => target === NOWHERE));
  return {
    name: `kube_gateway_${settings.clusterName}_${namespace}_${name}`.slice(0, MAX_NAME),
    description: `Kubernetes Gateway ${namespace}/${name} from cluster ${settings.clusterName}`.slice(0, MAX_NAME),
    tags,
    vipSubnetID: settings.subnetID,
    vipNetworkID: settings.networkID,
    listeners: [...ports].map(([port, policies]) => listenerOf(port, policies, context)),
    pools: [
      ...[...pools].map(([poolName, backends]) => poolOf(poolName, backends, context)),
      ...(isNowhereUsed ? [emptyPool(NOWHERE, tags)] : []),
    ],
  };
}

function listenerOf(
  port: number,
  policies: readonly RoutedPolicy[],
  { sourceRanges, tags }: GatewayContext,
): DesiredListener {
  return {
    listener: {
      name: `http_${port}`,
      protocol: 'HTTP',
      protocol_port: port,
      insert_headers: FORWARDED_HEADERS,
      ...(sourceRanges.length > 0 && { allowed_cidrs: sourceRanges }),
      tags,
    },
    policies: policies.map(({ name, rules, target }) => ({
      name: name.slice(0, MAX_NAME),
      matchTag: matchTagOf(rules, typeof target === 'string' ? undefined : target),
      rules,
      target,
    })),
    defaultPool: undefined,
  };
}

/** Backends share a pool by the weights of their members: each has as many. */
function poolOf(name: string, backends: readonly WeightedBackend[], context: GatewayContext): DesiredPool {
  const { settings, members, tags } = context;
  const isShared = backends.length > 1;
  const heaviest = Math.max(...backends.map(({ weight }) => weight));
  const parts = backends
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .map((backend) => {
      const place = { nodePort: backend.nodePort, isLocal: false };
      const part = poolOnNodes(name, place, { settings, members, tags, monitorName: `monitor_${name}` });
      const weight =
        heaviest <= MAX_WEIGHT ? backend.weight : Math.max(1, Math.round((backend.weight * MAX_WEIGHT) / heaviest));
      return isShared ? { ...part, members: part.members.map((member) => ({ ...member, weight })) } : part;
    });
  const [first = emptyPool(name, tags)] = parts;
  return { ...first, members: parts.flatMap((part) => part.members) };
}
