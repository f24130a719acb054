import { ANNOTATION, SERVICE_ANNOTATIONS, TUNING_ANNOTATIONS } from '../load-balancers/annotation-names.ts';
import { type Restriction, restrictionOf } from '../load-balancers/unread-annotations.ts';

/** Annotations that a layer-7 load balancer can safely ignore. */
const IGNORABLE_ANNOTATIONS: ReadonlySet<string> = new Set([
  ...TUNING_ANNOTATIONS,
  ANNOTATION.address,
  ANNOTATION.ovhClass,
  ANNOTATION.xForwardedFor,
]);

/**
 * What would be lost by ignoring an unknown annotation on an Ingress or Gateway. For Service annotations this includes
 * placement and cost.
 */
export function routedRestrictionOf(name: string, value: string): Restriction | undefined {
  const found = restrictionOf(name, value);
  const isServiceOnly = SERVICE_ANNOTATIONS.has(name) && !IGNORABLE_ANNOTATIONS.has(name);
  const isSet = value.trim() !== '' && value.trim() !== 'false';
  return found ?? (isServiceOnly && isSet ? 'other' : undefined);
}
