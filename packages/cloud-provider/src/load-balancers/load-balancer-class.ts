import { ANNOTATION } from './annotation-names.ts';
import type { AnnotationReader } from './annotation-reader.ts';
import { displayText } from './display-text.ts';
import { subnetChoice } from './floating-subnets.ts';
import type { FloatingIPSpec } from './load-balancer-spec.ts';
import { ServiceRefused } from './service-refused.ts';
import type { LoadBalancerClass, LoadBalancerSettings } from './settings.ts';

/**
 * The settings of the class in an annotation; empty if there is no class. Throws ServiceRefused for an unknown class.
 */
export function classOf(reader: AnnotationReader, { classes }: LoadBalancerSettings): LoadBalancerClass {
  const name = reader.text(ANNOTATION.class);
  if (name === undefined) return {};
  const found = classes.get(name);
  if (found) return found;
  const known = [...classes.keys()].join(', ') || 'none';
  throw new ServiceRefused(
    `annotation ${ANNOTATION.class}: class "${displayText(name)}" does not exist; available: ${known}`,
  );
}

/** The floating IP subnets of a class; undefined if unspecified. Throws ServiceRefused for an invalid pattern. */
export function floatingSubnetsOf(
  reader: AnnotationReader,
  { floatingSubnetID: subnetID, floatingSubnet: name, floatingSubnetTags: tags }: LoadBalancerClass,
): Pick<FloatingIPSpec, 'subnetID' | 'subnets'> | undefined {
  if ((subnetID ?? name ?? tags) === undefined) return undefined;
  const where = `class ${displayText(reader.text(ANNOTATION.class) ?? '')}`;
  return { subnetID, subnets: subnetChoice({ name, tags }, where) };
}

/** The operator's floating IP subnets for a network; they apply only to the operator's own network. */
export function defaultFloatingSubnets(
  {
    floatingNetworkID,
    floatingSubnetID: subnetID,
    floatingSubnet: name,
    floatingSubnetTags: tags,
  }: LoadBalancerSettings,
  networkID: string,
): Pick<FloatingIPSpec, 'subnetID' | 'subnets'> {
  if (networkID !== floatingNetworkID) return { subnetID: undefined, subnets: undefined };
  const subnets = subnetID === undefined ? subnetChoice({ name, tags }, 'floating-subnet') : undefined;
  return { subnetID, subnets };
}
