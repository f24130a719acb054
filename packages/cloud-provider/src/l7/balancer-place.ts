import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import type { AnnotationReader } from '../load-balancers/annotation-reader.ts';
import { classOf, defaultFloatingSubnets, floatingSubnetsOf } from '../load-balancers/balancer-class.ts';
import { keptFields } from '../load-balancers/plan.ts';
import { isOvn } from '../load-balancers/provider-limits.ts';
import type { LoadBalancerSettings } from '../load-balancers/settings.ts';
import type { FloatingIPWish, Wishes } from '../load-balancers/wishes.ts';

/** Who makes load balancers; undefined: Octavia decides. */
export interface BalancerMaker {
  readonly provider: string | undefined;
  readonly flavorID: string | undefined;
  readonly availabilityZone: string | undefined;
}

/** Octavia's own, and the one that reads HTTP. */
const AMPHORA = 'amphora';

/**
 * What makes load balancers that read HTTP where the operator has chosen this one. OVN reads none: an operator who has chosen it for Services has not forbidden all
 * Ingresses by it. A flavor is of one provider, and so is a zone. Pure.
 */
export function makerOf({ provider, flavorID, availabilityZone }: LoadBalancerSettings): BalancerMaker {
  if (isOvn(provider)) return { provider: AMPHORA, flavorID: undefined, availabilityZone: undefined };
  return { provider, flavorID, availabilityZone };
}

/** Where addresses of a load balancer and its members are. */
export interface BalancerPlace {
  readonly vip: Pick<Wishes['vip'], 'subnetID' | 'networkID'>;
  readonly memberSubnetID: string | undefined;
  /** Undefined: there are no floating IPs. */
  readonly floating: Omit<FloatingIPWish, 'address'> | undefined;
}

/** By its class, or else in the cluster's network. Throws ServiceRefused for a class that there is not. Pure. */
export function placeOfBalancer(reader: AnnotationReader, settings: LoadBalancerSettings): BalancerPlace {
  const chosen = classOf(reader, settings);
  const { subnetID, networkID } = chosen;
  const isChosen = subnetID !== undefined || networkID !== undefined;
  const floatingID = chosen.floatingNetworkID ?? settings.floatingNetworkID;
  const floating = floatingID && {
    networkID: floatingID,
    ...(floatingSubnetsOf(reader, chosen) ?? defaultFloatingSubnets(settings, floatingID)),
  };
  return {
    vip: isChosen ? { subnetID, networkID } : { subnetID: settings.subnetID, networkID: settings.networkID },
    memberSubnetID: chosen.memberSubnetID ?? settings.memberSubnetID,
    floating: floating || undefined,
  };
}

/** What is told of one that stays where it is, although its class says otherwise now. Pure. */
export function staysWhereItIs({ vip }: BalancerPlace, loadBalancer: LoadBalancer): string | undefined {
  const wanted = { vip: { ...vip, portID: undefined, address: undefined } };
  const fields = keptFields({ ...wanted, flavorID: undefined, availabilityZone: undefined }, loadBalancer);
  if (fields.length === 0) return undefined;
  return `a load balancer that exists keeps its ${fields.join(', ')}: delete it, and make it again for another one`;
}
