import { isIP } from 'node:net';
import { type LoadBalancerPlacement, loadBalancerPlacement } from '../l7/load-balancer-placement.ts';
import { routedRestrictionOf } from '../l7/routed-restrictions.ts';
import { ANNOTATION } from '../load-balancers/annotation-names.ts';
import { AnnotationReader, type AnnotationRules, type Warning } from '../load-balancers/annotation-reader.ts';
import { displayText, MAX_NAME_LENGTH } from '../load-balancers/display-text.ts';
import type { FloatingIPSpec } from '../load-balancers/load-balancer-spec.ts';
import { ServiceRefused } from '../load-balancers/service-refused.ts';
import type { LoadBalancerSettings } from '../load-balancers/settings.ts';
import { rangesOf } from '../load-balancers/source-ranges.ts';
import { isLoadBalancerAnnotation, requireNotRestricted } from '../load-balancers/unread-annotations.ts';
import type { ReasonAndMessage } from './condition-reason.ts';
import type { Gateway } from './kinds.ts';
import type { GatewaySpec } from './schemas.ts';

/** Annotations on Services of type LoadBalancer that have the same meaning on a Gateway. */
export const GATEWAY_ANNOTATION = {
  internal: ANNOTATION.internal,
  class: ANNOTATION.class,
  keepFloatingIP: ANNOTATION.keepFloatingIP,
  sourceRanges: ANNOTATION.sourceRanges,
} as const;

const ANNOTATION_RULES: AnnotationRules = {
  known: new Set(Object.values(GATEWAY_ANNOTATION)),
  tuning: new Set(),
  isOfKind: isLoadBalancerAnnotation,
  restrictionOf: routedRestrictionOf,
};

const INFRASTRUCTURE_FIELDS: ReadonlySet<string> = new Set(['annotations', 'labels', 'parametersRef']);

const ADVICE = {
  internal: `${ANNOTATION.internal}: "true", or "false" for a floating IP`,
  sources: ANNOTATION.sourceRanges,
};

/** What a Gateway specifies for its load balancer, other than listeners. */
export interface GatewayLoadBalancerSpec {
  readonly place: LoadBalancerPlacement;
  /** Undefined for an internal load balancer. */
  readonly floatingIP: FloatingIPSpec | undefined;
  readonly keepsFloatingIP: boolean;
  /** Empty allows all. */
  readonly sourceRanges: readonly string[];
}

export interface ParsedGatewaySpec {
  readonly balancerSpec: GatewayLoadBalancerSpec;
  /** Why the Gateway is not accepted. */
  readonly refused: ReasonAndMessage | undefined;
  readonly warnings: readonly Warning[];
}

/** Pure. Throws ServiceRefused for invalid source ranges and unknown classes. Public by default, like Services of type LoadBalancer. */
export function specFromGateway(
  { metadata }: Pick<Gateway, 'metadata'>,
  spec: GatewaySpec,
  settings: LoadBalancerSettings,
): ParsedGatewaySpec {
  const reader = new AnnotationReader(gatewayAnnotations(metadata, spec), ANNOTATION_RULES);
  const ranges = GATEWAY_ANNOTATION.sourceRanges;
  const isInternal = reader.flag(GATEWAY_ANNOTATION.internal) ?? settings.isInternal;
  if (spec.tls?.backend !== undefined) {
    reader.warn('FieldIgnored', 'spec.tls.backend has no effect: requests are sent to Services unencrypted');
  }
  const isDecided = isInternal || reader.text(GATEWAY_ANNOTATION.internal) !== undefined;
  const sourceRanges = rangesOf(reader.text(ranges)?.split(',') ?? [], `annotation ${ranges}`, 4);
  requireNotRestricted(reader.unread, { isDecided, sourceRanges, advice: ADVICE });
  const ignored = ignoredInfrastructure(spec);
  if (ignored !== undefined) reader.warn('FieldIgnored', ignored);
  const address = spec.addresses[0]?.value || undefined;
  const place = loadBalancerPlacement(reader, settings);
  const { floatingIP } = place;
  const isPublic = !isInternal && floatingIP !== undefined;
  if (!isInternal && floatingIP === undefined) {
    reader.warn('LoadBalancerForcedInternal', 'no floating IP is assigned: the cluster has no external network');
  }
  return {
    balancerSpec: {
      place,
      floatingIP: isPublic ? { ...floatingIP, address, addressField: 'spec.addresses' } : undefined,
      keepsFloatingIP: reader.flag(GATEWAY_ANNOTATION.keepFloatingIP) ?? false,
      sourceRanges,
    },
    refused: refusedOf(spec, isPublic),
    warnings: reader.warnings,
  };
}

/**
 * Annotations in `spec.infrastructure` apply to the resources created for the Gateway. Here that is its load balancer,
 * so they have the same meaning as annotations on the Gateway. Throws ServiceRefused if the two contradict each other.
 */
function gatewayAnnotations(
  { annotations = {} }: Pick<Gateway['metadata'], 'annotations'>,
  spec: GatewaySpec,
): Readonly<Record<string, string>> {
  const infrastructureAnnotations = spec.infrastructure?.annotations ?? {};
  for (const [name, value] of Object.entries(infrastructureAnnotations)) {
    if (!Object.hasOwn(annotations, name) || annotations[name] === value || !isLoadBalancerAnnotation(name)) continue;
    throw new ServiceRefused(
      `annotation ${displayText(name, MAX_NAME_LENGTH)}: "${displayText(annotations[name] ?? '')}" of the Gateway and "${displayText(value)}" of spec.infrastructure contradict each other: remove one`,
    );
  }
  return { ...annotations, ...infrastructureAnnotations };
}

/** Fields of `spec.infrastructure` that are safely ignored: load balancers have no labels. */
export function ignoredInfrastructure({ infrastructure }: GatewaySpec): string | undefined {
  const count = Object.keys(infrastructure?.labels ?? {}).length;
  return count === 0 ? undefined : 'spec.infrastructure.labels has no effect: load balancers do not support labels';
}

function refusedOf({ addresses, infrastructure }: GatewaySpec, isPublic: boolean): ReasonAndMessage | undefined {
  if (infrastructure?.parametersRef != null) {
    return { reason: 'InvalidParameters', message: 'spec.infrastructure.parametersRef is not supported' };
  }
  const unknown = Object.keys(infrastructure ?? {}).find((name) => !INFRASTRUCTURE_FIELDS.has(name));
  if (unknown !== undefined) {
    return { reason: 'Invalid', message: `spec.infrastructure.${displayText(unknown)} is not supported: remove it` };
  }
  const unsupportedAddress = (message: string) => ({
    reason: 'UnsupportedAddress',
    message: `spec.addresses: ${message}`,
  });
  const [first] = addresses;
  if (first === undefined) return undefined;
  if (addresses.length > 1) return unsupportedAddress('a load balancer can have only one address');
  if (first.type !== 'IPAddress')
    return unsupportedAddress(`type ${first.type.slice(0, 63)} is not supported: use IPAddress`);
  if (first.value === '') return undefined;
  if (isIP(first.value) !== 4) return unsupportedAddress(`"${first.value.slice(0, 63)}" is not an IPv4 address`);
  return isPublic
    ? undefined
    : unsupportedAddress('only a floating IP can be specified, but this load balancer is internal: remove the address');
}
