import { displayText, MAX_NAME_LENGTH } from './display-text.ts';
import { ServiceRefused } from './service-refused.ts';

/** What an unsupported annotation restricts: internal only, allowed sources, or something else that must not be ignored. */
export type Restriction = 'internal' | 'sources' | 'other';

/** A load balancer annotation, from any cloud, that has no effect on this object. */
export interface UnreadAnnotation {
  readonly name: string;
  readonly value: string;
  /** Undefined if it can safely be ignored. */
  readonly restriction: Restriction | undefined;
}

/** All annotations with these prefixes concern load balancers. */
const FAMILIES = [
  'loadbalancer.openstack.org/',
  'loadbalancer.ovhcloud.com/',
  'loadbalancer.fairway.dev/',
  'service.beta.kubernetes.io/',
  'octavia.ingress.kubernetes.io/',
  'ingress.fairway.dev/',
  'load-balancer.hetzner.cloud/',
  'oci.oraclecloud.com/',
  'oci-network-load-balancer.oraclecloud.com/',
  'kubernetes.io/elb.',
  'lb.stackit.cloud/',
  'yawol.stackit.cloud/',
];
/** Annotations with these prefixes concern load balancers if their names suggest it. */
const MIXED_FAMILIES = ['service.kubernetes.io/', 'networking.gke.io/', 'cloud.google.com/'];
/** Prefixes of ingress controllers. */
const INGRESS_FAMILIES = [
  'nginx.ingress.kubernetes.io/',
  'ingress.kubernetes.io/',
  'alb.ingress.kubernetes.io/',
  'appgw.ingress.kubernetes.io/',
  'traefik.ingress.kubernetes.io/',
  'haproxy.org/',
  'haproxy-ingress.github.io/',
];

/** Words in other clouds' annotations, without dashes. */
const INTERNAL_NAMES = ['internal', 'private', 'intranet', 'disablepublic'];
const SOURCE_RANGES_NAMES = [
  'source',
  'allowed',
  'allowlist',
  'whitelist',
  'denylist',
  'blacklist',
  'denyall',
  'denyrule',
  'allowrule',
  'cidr',
  'firewall',
  'securitygroup',
  'iprange',
  'servicetags',
];
const INTERNAL_VALUES = ['internal', 'private', 'intranet'];

/** Whether an annotation looks like a load balancer setting. */
export function isLoadBalancerAnnotation(name: string): boolean {
  if (FAMILIES.some((family) => name.startsWith(family))) return true;
  return MIXED_FAMILIES.some((family) => name.startsWith(family)) && withoutPrefix(name).includes('loadbalancer');
}

/** Whether an annotation looks like a setting of an Ingress. */
export function isIngressAnnotation(name: string): boolean {
  return isLoadBalancerAnnotation(name) || INGRESS_FAMILIES.some((family) => name.startsWith(family));
}

/**
 * What would be lost by ignoring a load balancer annotation, judging by the words in its name, to cover unknown
 * spellings and clouds.
 */
export function restrictionOf(name: string, value: string): Restriction | undefined {
  const text = value.trim().toLowerCase();
  if (text === '' || text === 'false') return undefined;
  const key = withoutPrefix(name);
  if (INTERNAL_VALUES.includes(text) || INTERNAL_NAMES.some((word) => key.includes(word))) return 'internal';
  if (SOURCE_RANGES_NAMES.some((word) => key.includes(word)) || wordsOf(name).includes('acl')) return 'sources';
  const requiresAuth = wordsOf(name).some((part) => part === 'auth' || part === 'middlewares');
  return requiresAuth && INGRESS_FAMILIES.some((family) => name.startsWith(family)) ? 'other' : undefined;
}

/** Restrictions that supported annotations and fields specify. */
export interface KnownRestrictions {
  /**
   * Whether it is settled that the load balancer is internal or public: it has no floating IP, or a supported
   * annotation requests one explicitly.
   */
  readonly isDecided: boolean;
  readonly sourceRanges: readonly string[];
  /** The supported alternatives, for messages. */
  readonly advice: Readonly<Record<'internal' | 'sources', string>>;
}

/** Throws ServiceRefused if ignoring an annotation would leave the load balancer more open than requested. */
export function requireNotRestricted(
  unread: readonly UnreadAnnotation[],
  { isDecided, sourceRanges, advice }: KnownRestrictions,
): void {
  for (const { name, value, restriction } of unread) {
    if (restriction === undefined) continue;
    if (restriction === 'internal' && isDecided) continue;
    if (restriction === 'sources' && sourceRanges.length > 0) continue;
    const suggestion = restriction === 'other' ? 'remove it' : `use ${advice[restriction]}, or remove it`;
    throw new ServiceRefused(
      `annotation ${displayText(name, MAX_NAME_LENGTH)}: "${displayText(value)}" is not supported here, and must not be ignored: ${suggestion}`,
    );
  }
}

function wordsOf(name: string): readonly string[] {
  return name
    .slice(name.indexOf('/') + 1)
    .toLowerCase()
    .split(/[-_.]/);
}

function withoutPrefix(name: string): string {
  return wordsOf(name).join('');
}
