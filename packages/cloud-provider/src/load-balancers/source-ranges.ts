import type { Service } from '@fairway/kube/kinds/generated/types';
import { Address4, Address6 } from 'ip-address';
import { ANNOTATION } from './annotation-names.ts';
import { type AnnotationReader, shown } from './annotation-reader.ts';
import { familyOf } from './families.ts';
import { ServiceRefused } from './service-refused.ts';
import type { Family } from './wishes.ts';

const MAX_RANGES = 256;
const EVERYBODY: Readonly<Record<Family, string>> = { 4: '0.0.0.0/0', 6: '::/0' };

/** Who may connect, as Octavia writes ranges, sorted; empty for everybody. The annotation counts where the field is empty. */
export function sourceRangesOf(
  { spec }: Service,
  reader: AnnotationReader,
  families: readonly Family[],
): readonly string[] {
  const field = 'spec.loadBalancerSourceRanges';
  const ofSpec = spec.loadBalancerSourceRanges ?? [];
  const ofAnnotation = reader.text(ANNOTATION.sourceRanges)?.split(',') ?? [];
  const [where, texts] = ofSpec.length > 0 ? [field, ofSpec] : [`annotation ${ANNOTATION.sourceRanges}`, ofAnnotation];
  const ranges = rangesOf(texts, where, ...families);
  const closed = families.filter((family) => ranges.length > 0 && ranges.every((range) => familyOf(range) !== family));
  for (const family of closed) {
    const message = `${where}: no range is of IPv${family}: nobody reaches the IPv${family} address`;
    reader.warn('LoadBalancerFamilyClosed', message);
  }
  return ranges;
}

/** Of these texts, as Octavia writes ranges, sorted; empty for everybody. `where` they are written. */
export function rangesOf(texts: readonly string[], where: string, ...families: readonly Family[]): readonly string[] {
  const given = texts.map((text) => text.trim()).filter((text) => text !== '');
  if (given.length > MAX_RANGES) {
    throw new ServiceRefused(`${where}: has ${given.length} ranges, and may have ${MAX_RANGES}`);
  }
  const ranges = given.map((text) => rangeOf(text, where));
  return allowedRanges(ranges, families, families, where);
}

/**
 * Of ranges, empty for everybody, what listeners are to allow so that they serve these families, and nobody at an address of another one that the load balancer
 * has; empty if they serve everybody at all of them.
 */
export function allowedRanges(
  ranges: readonly string[],
  served: readonly Family[],
  present: readonly Family[],
  where = 'spec.loadBalancerSourceRanges',
): readonly string[] {
  const own = ranges.filter((range) => served.includes(familyOf(range)));
  if (ranges.length > 0 && own.length === 0) {
    const names = served.map((family) => `IPv${family}`).join(' or ');
    throw new ServiceRefused(`${where}: none of the ranges is of ${names}, which the load balancer has`);
  }
  const allowed = present.map((family): readonly string[] => {
    if (!served.includes(family)) return [];
    const ofFamily = own.filter((range) => familyOf(range) === family);
    return ranges.length === 0 || ofFamily.includes(EVERYBODY[family]) ? [EVERYBODY[family]] : ofFamily;
  });
  const isOpen = present.every((family, at) => allowed[at]?.[0] === EVERYBODY[family]);
  return isOpen ? [] : [...new Set(allowed.flat())].sort();
}

/** Bits of the host part are cleared, as Octavia does. */
function rangeOf(text: string, where: string): string {
  const family = familyOf(text);
  try {
    if (!text.includes('/')) throw new Error('no prefix length');
    const range = family === 6 ? new Address6(text) : new Address4(text);
    return `${range.startAddress().correctForm()}/${range.subnetMask}`;
  } catch {
    throw new ServiceRefused(`${where}: "${shown(text)}" is no range of addresses: write it as 192.0.2.0/24`);
  }
}
