import type { CloudObservation } from '../cloud-observation.ts';
import type { ObservedValue } from '../observed-value.ts';
import { isMissing } from './cloud-lacks.ts';

/** Something that limits depend on, and why it could not be observed. */
export interface Unknown {
  readonly what: string;
  readonly problem: string;
}

/** What the cloud did not answer. A service that the catalog lacks is known to be missing. Pure. */
export function unknowns(cloud: CloudObservation): Unknown[] {
  const { services, choices } = cloud;
  const hasVolumes = !isMissing(cloud, 'block-storage');
  const hasLoadBalancers = !isMissing(cloud, 'load-balancer');
  const observed: readonly (readonly [what: string, value: ObservedValue<unknown>, isNeeded: boolean])[] = [
    ['shared file systems', services['shared-file-system'], !isMissing(cloud, 'shared-file-system')],
    ['volume types', choices.volumeTypes, hasVolumes],
    ['quota of volume snapshots', choices.maxVolumeSnapshots, hasVolumes],
    ['load balancer providers', cloud.loadBalancerProviders, hasLoadBalancers],
    ['external networks', cloud.externalNetworks, true],
    ['IPv6 addresses', cloud.ipv6Sources, true],
    ['flavors', choices.flavors, true],
    ['images', choices.images, true],
    ['networks', choices.networks, true],
  ];
  return observed.flatMap(([what, value, isNeeded]) =>
    isNeeded && 'problem' in value ? [{ what, problem: value.problem }] : [],
  );
}
