import { isIP } from 'node:net';
import { type BalancerPlace, placeOfBalancer } from '../l7/balancer-place.ts';
import { ANNOTATION } from '../load-balancers/annotation-names.ts';
import { AnnotationReader, type Warning } from '../load-balancers/annotation-reader.ts';
import type { LoadBalancerSettings } from '../load-balancers/settings.ts';
import { rangesOf } from '../load-balancers/source-ranges.ts';
import type { FloatingIPWish } from '../load-balancers/wishes.ts';
import type { Gateway } from './kinds.ts';
import type { GatewaySpec } from './schemas.ts';
import type { Verdict } from './verdict.ts';

/** Annotations of Services of type LoadBalancer that mean the same on a Gateway. */
export const GATEWAY_ANNOTATION = {
  internal: ANNOTATION.internal,
  class: ANNOTATION.class,
  keepFloatingIP: ANNOTATION.keepFloatingIP,
  sourceRanges: ANNOTATION.sourceRanges,
} as const;

const KNOWN: ReadonlySet<string> = new Set(Object.values(GATEWAY_ANNOTATION));
const OF_SERVICES: ReadonlySet<string> = new Set(Object.values(ANNOTATION));

/** What a Gateway asks of its load balancer beside listeners. */
export interface GatewayWishes {
  readonly place: BalancerPlace;
  /** Undefined: an internal load balancer. */
  readonly floatingIP: FloatingIPWish | undefined;
  readonly keepsFloatingIP: boolean;
  /** Empty: everybody. */
  readonly sourceRanges: readonly string[];
}

export interface ReadGateway {
  readonly wishes: GatewayWishes;
  /** Why the Gateway is not accepted. */
  readonly refused: Verdict | undefined;
  readonly warnings: readonly Warning[];
}

/** Pure. Throws ServiceRefused for source ranges that are none, and a class that there is not. Public unless it is said otherwise, as Services of type LoadBalancer. */
export function gatewayWishesOf(
  { metadata }: Pick<Gateway, 'metadata'>,
  spec: GatewaySpec,
  settings: LoadBalancerSettings,
): ReadGateway {
  const reader = new AnnotationReader(metadata.annotations, (name) => OF_SERVICES.has(name) && !KNOWN.has(name));
  const ranges = GATEWAY_ANNOTATION.sourceRanges;
  const isInternal = reader.flag(GATEWAY_ANNOTATION.internal) ?? settings.isInternal;
  if (spec.tls?.backend !== undefined) {
    reader.warn('FieldIgnored', 'spec.tls.backend has no effect: requests are sent to Services in clear text');
  }
  const address = spec.addresses[0]?.value || undefined;
  const place = placeOfBalancer(reader, settings);
  const { floating } = place;
  const isPublic = !isInternal && floating !== undefined;
  if (!isInternal && floating === undefined) {
    reader.warn('LoadBalancerForcedInternal', 'it has no floating IP: the cluster has no external network');
  }
  return {
    wishes: {
      place,
      floatingIP: isPublic ? { ...floating, address, addressField: 'spec.addresses' } : undefined,
      keepsFloatingIP: reader.flag(GATEWAY_ANNOTATION.keepFloatingIP) ?? false,
      sourceRanges: rangesOf(reader.text(ranges)?.split(',') ?? [], `annotation ${ranges}`, 4),
    },
    refused: refusedOf(spec, isPublic),
    warnings: reader.warnings,
  };
}

function refusedOf({ addresses, infrastructure }: GatewaySpec, isPublic: boolean): Verdict | undefined {
  if (infrastructure?.parametersRef !== undefined) {
    return { reason: 'InvalidParameters', message: 'spec.infrastructure.parametersRef: no parameters are known' };
  }
  const unsupported = (message: string) => ({ reason: 'UnsupportedAddress', message: `spec.addresses: ${message}` });
  const [first] = addresses;
  if (first === undefined) return undefined;
  if (addresses.length > 1) return unsupported('a load balancer has one address');
  if (first.type !== 'IPAddress') return unsupported(`type ${first.type.slice(0, 63)} is none: use IPAddress`);
  if (first.value === '') return undefined;
  if (isIP(first.value) !== 4) return unsupported(`"${first.value.slice(0, 63)}" is no IPv4 address`);
  return isPublic
    ? undefined
    : unsupported('only a floating IP can be chosen, and this load balancer is internal: leave the address out');
}
