import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { type Vip, vipsOf } from './families.ts';
import type { Family, LoadBalancerSpec } from './load-balancer-spec.ts';
import { ServiceRefused } from './service-refused.ts';
import { allowedRanges } from './source-ranges.ts';

/** The part of the spec that an existing load balancer supports. */
export interface SupportedSpec {
  readonly balancerSpec: LoadBalancerSpec;
  /** VIPs of the requested families, in order. */
  readonly vips: readonly Vip[];
  /** The requested family that is missing. */
  readonly missing: Family | undefined;
  /** An unrequested address that cannot be closed. */
  readonly open: Vip | undefined;
}

/**
 * `canRestrictSources`: whether Octavia can restrict access to a dual-stack load balancer. Throws ServiceRefused. Pure.
 */
export function supportedSpec(
  loadBalancer: LoadBalancer,
  balancerSpec: LoadBalancerSpec,
  canRestrictSources: boolean,
): SupportedSpec {
  const present = vipsOf(loadBalancer);
  const vips = balancerSpec.families.flatMap((family) => present.find((vip) => vip.family === family) ?? []);
  const families = vips.map(({ family }) => family);
  const [desired = 4] = balancerSpec.families;
  if (families.length === 0) throw new ServiceRefused(missingFamilyMessage(loadBalancer, desired));
  const isDual = new Set(present.map(({ family }) => family)).size > 1;
  if (isDual && !canRestrictSources && balancerSpec.sourceRanges.length > 0) {
    throw new ServiceRefused(
      `spec.loadBalancerSourceRanges: the cloud cannot restrict access to load balancer ${loadBalancer.id}, which has addresses of two families; remove it, or create a single-stack Service`,
    );
  }
  const unusedVip = present.find(({ family }) => !families.includes(family));
  const reachableFamilies = canRestrictSources ? present.map(({ family }) => family) : families;
  return {
    balancerSpec: {
      ...balancerSpec,
      families,
      floatingIP: families.includes(4) ? balancerSpec.floatingIP : undefined,
      sourceRanges: allowedRanges(balancerSpec.sourceRanges, families, reachableFamilies),
    },
    vips,
    missing: balancerSpec.families.find((family) => !families.includes(family)),
    open: canRestrictSources ? undefined : unusedVip,
  };
}

/** Explains that the load balancer cannot get an address of this family, and what to do. */
export function missingFamilyMessage({ id }: LoadBalancer, family: Family): string {
  return `load balancer ${id} has no IPv${family} address, and Octavia cannot add one to an existing load balancer; once its network has an IPv${family} subnet, delete it with \`openstack loadbalancer delete --cascade ${id}\`: Fairway recreates it with the same floating IP`;
}
