import type { ObjectMeta } from '@fairway/kube/object/meta';
import { type BalancerPlace, makerOf } from '../l7/balancer-place.ts';
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
  terminated,
} from '../l7/desired-routing.ts';
import type { MemberAddress } from '../load-balancers/members.ts';
import type { LoadBalancerSettings } from '../load-balancers/settings.ts';
import type { Certificates } from '../tls/kept-certificates.ts';
import { keyOf, type WeightedBackend } from './backend-refs.ts';
import type { RoutedPort, Routing } from './routing.ts';

export interface GatewayContext {
  readonly settings: LoadBalancerSettings;
  readonly place: BalancerPlace;
  readonly gateway: Pick<ObjectMeta, 'namespace' | 'name'>;
  readonly members: readonly MemberAddress[];
  /** Marks of the owner: see `tenancy/cloud/ownership`. */
  readonly tags: readonly string[];
  /** Who may connect; empty: everybody. */
  readonly sourceRanges: readonly string[];
  /** By port. One of HTTPS that has none is not served. */
  readonly certificates: ReadonlyMap<number, Certificates>;
}

/** Octavia's heaviest member. */
const MAX_WEIGHT = 256;

/** The load balancer that a Gateway wants. Pure. Nothing is found by its names but the parts within it. */
export function desiredGateway({ ports, pools }: Routing, context: GatewayContext): DesiredRouting {
  const { settings, place, gateway, tags } = context;
  const { namespace, name } = gateway;
  const isNowhereUsed = [...ports.values()].some(({ policies }) => policies.some(({ target }) => target === NOWHERE));
  return {
    name: `kube_gateway_${settings.clusterName}_${namespace}_${name}`.slice(0, MAX_NAME),
    description: `Kubernetes Gateway ${namespace}/${name} from cluster ${settings.clusterName}`.slice(0, MAX_NAME),
    tags,
    ...makerOf(settings),
    vip: place.vip,
    // HTTPS is there before HTTP leads to it.
    listeners: [...ports]
      .toSorted(([, a], [, b]) => Number(b.isHttps) - Number(a.isHttps))
      .flatMap(([port, routed]) => listenerOf(port, routed, context) ?? []),
    pools: [
      ...[...pools].map(([poolName, backends]) => poolOf(poolName, backends, context)),
      ...(isNowhereUsed ? [emptyPool(NOWHERE, tags, settings)] : []),
    ],
  };
}

function listenerOf(
  port: number,
  { isHttps, policies }: RoutedPort,
  { sourceRanges, tags, ...context }: GatewayContext,
): DesiredListener | undefined {
  const certificates = context.certificates.get(port);
  if (isHttps && certificates === undefined) return undefined;
  return {
    listener: {
      ...(isHttps && certificates ? terminated(certificates) : { protocol: 'HTTP' }),
      name: `${isHttps ? 'https' : 'http'}_${port}`,
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
  const { settings, place, members, tags } = context;
  const { memberSubnetID } = place;
  const isShared = backends.length > 1;
  const heaviest = Math.max(...backends.map(({ weight }) => weight));
  const parts = backends
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .map((backend) => {
      const onNodes = { nodePort: backend.nodePort, isLocal: false };
      const monitorName = `monitor_${name}`;
      const part = poolOnNodes(name, onNodes, { settings, memberSubnetID, members, tags, monitorName });
      const weight =
        heaviest <= MAX_WEIGHT ? backend.weight : Math.max(1, Math.round((backend.weight * MAX_WEIGHT) / heaviest));
      return isShared ? { ...part, members: part.members.map((member) => ({ ...member, weight })) } : part;
    });
  const [first = emptyPool(name, tags, settings)] = parts;
  return { ...first, members: parts.flatMap((part) => part.members) };
}
