import type { ObjectMeta } from '@fairway/kube/object/meta';
import {
  type DesiredListener,
  type DesiredPool,
  type DesiredRouting,
  EMPTY_POOL,
  emptyPool,
  FORWARDED_HEADERS,
  MAX_NAME_LENGTH,
  matchTagOf,
  poolOnNodes,
  terminatedTls,
} from '../l7/desired-routing.ts';
import { type LoadBalancerPlacement, providerChoice } from '../l7/load-balancer-placement.ts';
import type { MemberAddress } from '../load-balancers/members.ts';
import type { LoadBalancerSettings } from '../load-balancers/settings.ts';
import type { Certificates } from '../tls/barbican-certificates.ts';
import { keyOf, type WeightedBackend } from './backend-refs.ts';
import type { RoutedPort, Routing } from './routing.ts';

export interface GatewayContext {
  readonly settings: LoadBalancerSettings;
  readonly place: LoadBalancerPlacement;
  readonly gateway: Pick<ObjectMeta, 'namespace' | 'name'>;
  readonly members: readonly MemberAddress[];
  /** Ownership tags: see `tenancy/cloud/ownership`. */
  readonly tags: readonly string[];
  /** Allowed source ranges; empty allows all. */
  readonly sourceRanges: readonly string[];
  /** By port. An HTTPS listener without a certificate is not served. */
  readonly certificates: ReadonlyMap<number, Certificates>;
}

/** Octavia's maximum member weight. */
const MAX_WEIGHT = 256;

/** The desired load balancer of a Gateway. Pure. Names are used for lookup only within the load balancer. */
export function desiredGateway({ ports, pools }: Routing, context: GatewayContext): DesiredRouting {
  const { settings, place, gateway, tags } = context;
  const { namespace, name } = gateway;
  const needsEmptyPool = [...ports.values()].some(({ policies }) =>
    policies.some(({ target }) => target === EMPTY_POOL),
  );
  return {
    name: `kube_gateway_${settings.clusterName}_${namespace}_${name}`.slice(0, MAX_NAME_LENGTH),
    description: `Kubernetes Gateway ${namespace}/${name} from cluster ${settings.clusterName}`.slice(
      0,
      MAX_NAME_LENGTH,
    ),
    tags,
    ...providerChoice(settings),
    vip: place.vip,
    // Create HTTPS before HTTP redirects to it.
    listeners: [...ports]
      .toSorted(([, a], [, b]) => Number(b.isHttps) - Number(a.isHttps))
      .flatMap(([port, routed]) => listenerOf(port, routed, context) ?? []),
    pools: [
      ...[...pools].map(([poolName, backends]) => poolOf(poolName, backends, context)),
      ...(needsEmptyPool ? [emptyPool(EMPTY_POOL, tags, settings)] : []),
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
      ...(isHttps && certificates ? terminatedTls(certificates) : { protocol: 'HTTP' }),
      name: `${isHttps ? 'https' : 'http'}_${port}`,
      protocol_port: port,
      insert_headers: FORWARDED_HEADERS,
      ...(sourceRanges.length > 0 && { allowed_cidrs: sourceRanges }),
      tags,
    },
    policies: policies.map(({ name, rules, target }) => ({
      name: name.slice(0, MAX_NAME_LENGTH),
      matchTag: matchTagOf(rules, typeof target === 'string' ? undefined : target),
      rules,
      target,
    })),
    defaultPool: undefined,
  };
}

/** Backends share a pool through the weights of their members: each backend has the same number of members. */
function poolOf(name: string, backends: readonly WeightedBackend[], context: GatewayContext): DesiredPool {
  const { settings, place, members, tags } = context;
  const { memberSubnetID } = place;
  const isShared = backends.length > 1;
  const maxWeight = Math.max(...backends.map(({ weight }) => weight));
  const parts = backends
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .map((backend) => {
      const nodeBackend = { nodePort: backend.nodePort, isLocal: false };
      const monitorName = `monitor_${name}`;
      const part = poolOnNodes(name, nodeBackend, { settings, memberSubnetID, members, tags, monitorName });
      const weight =
        maxWeight <= MAX_WEIGHT ? backend.weight : Math.max(1, Math.round((backend.weight * MAX_WEIGHT) / maxWeight));
      return isShared ? { ...part, members: part.members.map((member) => ({ ...member, weight })) } : part;
    });
  const [first = emptyPool(name, tags, settings)] = parts;
  return { ...first, members: parts.flatMap((part) => part.members) };
}
