import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import type { AnnotationReader } from '../load-balancers/annotation-reader.ts';
import { classOf, defaultFloatingSubnets, floatingSubnetsOf } from '../load-balancers/load-balancer-class.ts';
import type { FloatingIPSpec, LoadBalancerSpec } from '../load-balancers/load-balancer-spec.ts';
import { ignoredChanges } from '../load-balancers/plan.ts';
import { isOvn } from '../load-balancers/provider-limits.ts';
import type { LoadBalancerSettings } from '../load-balancers/settings.ts';

/** The provider of load balancers; undefined for Octavia's default. */
export interface ProviderChoice {
  readonly provider: string | undefined;
  readonly flavorID: string | undefined;
  readonly availabilityZone: string | undefined;
}

/** Octavia's own provider, which supports layer 7. */
const AMPHORA = 'amphora';

/**
 * The provider of layer-7 load balancers. OVN does not support layer 7: selecting OVN for Services must not
 * disable Ingresses. Flavors and availability zones belong to one provider. Pure.
 */
export function providerChoice({ provider, flavorID, availabilityZone }: LoadBalancerSettings): ProviderChoice {
  if (isOvn(provider)) return { provider: AMPHORA, flavorID: undefined, availabilityZone: undefined };
  return { provider, flavorID, availabilityZone };
}

/** Networks of a load balancer's addresses and members. */
export interface LoadBalancerPlacement {
  readonly vip: Pick<LoadBalancerSpec['vip'], 'subnetID' | 'networkID'>;
  readonly memberSubnetID: string | undefined;
  /** Undefined if no floating IPs are available. */
  readonly floatingIP: Omit<FloatingIPSpec, 'address'> | undefined;
}

/**
 * The placement specified by the class, or in the cluster's network if no class is set. Throws ServiceRefused for an
 * unknown class. Pure.
 */
export function loadBalancerPlacement(reader: AnnotationReader, settings: LoadBalancerSettings): LoadBalancerPlacement {
  const selectedClass = classOf(reader, settings);
  const { subnetID, networkID } = selectedClass;
  const isSubnetSet = subnetID !== undefined || networkID !== undefined;
  const externalNetworkID = selectedClass.floatingNetworkID ?? settings.floatingNetworkID;
  const floatingIP = externalNetworkID && {
    networkID: externalNetworkID,
    ...(floatingSubnetsOf(reader, selectedClass) ?? defaultFloatingSubnets(settings, externalNetworkID)),
  };
  return {
    vip: isSubnetSet ? { subnetID, networkID } : { subnetID: settings.subnetID, networkID: settings.networkID },
    memberSubnetID: selectedClass.memberSubnetID ?? settings.memberSubnetID,
    floatingIP: floatingIP || undefined,
  };
}

/** The warning for an existing load balancer whose class now specifies a different placement. Pure. */
export function placementWarning({ vip }: LoadBalancerPlacement, loadBalancer: LoadBalancer): string | undefined {
  const desired = { vip: { ...vip, portID: undefined, address: undefined } };
  const fields = ignoredChanges({ ...desired, flavorID: undefined, availabilityZone: undefined }, loadBalancer);
  if (fields.length === 0) return undefined;
  return `an existing load balancer retains its ${fields.join(', ')}: delete and recreate it to change this`;
}
