import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { type Vip, vipsOf } from './families.ts';
import { ServiceRefused } from './service-refused.ts';
import { allowedRanges } from './source-ranges.ts';
import type { Family, Wishes } from './wishes.ts';

/** What a load balancer that exists can do of what is asked. */
export interface FittedWishes {
  readonly wishes: Wishes;
  /** Of the families that are asked for, in their order. */
  readonly vips: readonly Vip[];
  /** What is asked for and is not there. */
  readonly missing: Family | undefined;
  /** An address that nobody asks for, and that can't be closed. */
  readonly open: Vip | undefined;
}

/** `canLimit`: whether Octavia limits who reaches a load balancer with addresses of two families. Throws ServiceRefused. Pure. */
export function fitTo(loadBalancer: LoadBalancer, wishes: Wishes, canLimit: boolean): FittedWishes {
  const present = vipsOf(loadBalancer);
  const vips = wishes.families.flatMap((family) => present.find((vip) => vip.family === family) ?? []);
  const families = vips.map(({ family }) => family);
  const [wanted = 4] = wishes.families;
  if (families.length === 0) throw new ServiceRefused(lacking(loadBalancer, wanted));
  const isDual = new Set(present.map(({ family }) => family)).size > 1;
  if (isDual && !canLimit && wishes.sourceRanges.length > 0) {
    throw new ServiceRefused(
      `spec.loadBalancerSourceRanges: the cloud can't limit who reaches load balancer ${loadBalancer.id}, which has addresses of two families; leave it out, or make a Service of one family`,
    );
  }
  const idle = present.find(({ family }) => !families.includes(family));
  const reached = canLimit ? present.map(({ family }) => family) : families;
  return {
    wishes: {
      ...wishes,
      families,
      floatingIP: families.includes(4) ? wishes.floatingIP : undefined,
      sourceRanges: allowedRanges(wishes.sourceRanges, families, reached),
    },
    vips,
    missing: wishes.families.find((family) => !families.includes(family)),
    open: canLimit ? undefined : idle,
  };
}

/** That it can't be changed, and what can be done. */
export function lacking({ id }: LoadBalancer, family: Family): string {
  return `load balancer ${id} has no IPv${family} address, and Octavia gives none to one that exists; once its network has a subnet of IPv${family}, \`openstack loadbalancer delete --cascade ${id}\` has it made anew, with the same floating IP`;
}
