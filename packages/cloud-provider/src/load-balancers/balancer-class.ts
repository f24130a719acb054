import { ANNOTATION } from './annotation-names.ts';
import { type AnnotationReader, shown } from './annotation-reader.ts';
import { subnetChoice } from './floating-subnets.ts';
import { ServiceRefused } from './service-refused.ts';
import type { LoadBalancerClass, LoadBalancerSettings } from './settings.ts';
import type { FloatingIPWish } from './wishes.ts';

/** What the class that an annotation names stands for; nothing without one. Throws ServiceRefused for one that there is not. */
export function classOf(reader: AnnotationReader, { classes }: LoadBalancerSettings): LoadBalancerClass {
  const name = reader.text(ANNOTATION.class);
  if (name === undefined) return {};
  const found = classes.get(name);
  if (found) return found;
  const known = [...classes.keys()].join(', ') || 'none';
  throw new ServiceRefused(`annotation ${ANNOTATION.class}: there is no class "${shown(name)}"; there are: ${known}`);
}

/** Which subnets a class takes floating IPs from; undefined if it does not say. Throws ServiceRefused for a pattern that is none. */
export function floatingSubnetsOf(
  reader: AnnotationReader,
  { floatingSubnetID: subnetID, floatingSubnet: name, floatingSubnetTags: tags }: LoadBalancerClass,
): Pick<FloatingIPWish, 'subnetID' | 'subnets'> | undefined {
  if ((subnetID ?? name ?? tags) === undefined) return undefined;
  const where = `class ${shown(reader.text(ANNOTATION.class) ?? '')}`;
  return { subnetID, subnets: subnetChoice({ name, tags }, where) };
}

/** Which subnets the operator takes floating IPs of a network from: another network than the operator's has other subnets. */
export function defaultFloatingSubnets(
  {
    floatingNetworkID,
    floatingSubnetID: subnetID,
    floatingSubnet: name,
    floatingSubnetTags: tags,
  }: LoadBalancerSettings,
  networkID: string,
): Pick<FloatingIPWish, 'subnetID' | 'subnets'> {
  if (networkID !== floatingNetworkID) return { subnetID: undefined, subnets: undefined };
  const subnets = subnetID === undefined ? subnetChoice({ name, tags }, 'floating-subnet') : undefined;
  return { subnetID, subnets };
}
