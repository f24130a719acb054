import { isDeepStrictEqual } from 'node:util';
import type { Service } from '@fairway/kube/kinds/generated/types';
import { Address4, Address6 } from 'ip-address';
import { ANNOTATION } from './annotation-names.ts';
import type { AnnotationReader } from './annotation-reader.ts';
import { displayText } from './display-text.ts';
import { canonicalAddress, familyOf } from './families.ts';
import type { Family } from './load-balancer-spec.ts';
import { ServiceRefused } from './service-refused.ts';

const MAX_RANGES = 256;
const ANY_ADDRESS: Readonly<Record<Family, string>> = { 4: '0.0.0.0/0', 6: '::/0' };

/**
 * Allowed ranges in Octavia's notation, sorted; empty allows all. The annotation applies if the field is empty, and
 * OVHcloud's annotation if both are empty.
 */
export function sourceRangesOf(
  { spec }: Service,
  reader: AnnotationReader,
  families: readonly Family[],
): readonly string[] {
  const all = [
    { where: 'spec.loadBalancerSourceRanges', texts: spec.loadBalancerSourceRanges ?? [] },
    annotationRanges(reader, ANNOTATION.sourceRanges),
    annotationRanges(reader, ANNOTATION.ovhAllowedSources, toCidr),
  ].filter(({ texts }) => texts.length > 0);
  const [requested, ...others] = all;
  if (requested === undefined) return [];
  const { where, texts } = requested;
  const ranges = rangesOf(texts, where, ...families);
  for (const other of others) {
    if (isDeepStrictEqual(rangesOf(other.texts, other.where, ...families), ranges)) continue;
    reader.warn('InvalidAnnotation', `${other.where} has no effect together with ${where}`);
  }
  const blockedFamilies = families.filter(
    (family) => ranges.length > 0 && ranges.every((range) => familyOf(range) !== family),
  );
  for (const family of blockedFamilies) {
    const message = `${where}: no range is IPv${family}: nothing can reach the IPv${family} address`;
    reader.warn('LoadBalancerFamilyClosed', message);
  }
  return ranges;
}

function annotationRanges(reader: AnnotationReader, name: string, read = (text: string) => text) {
  return { where: `annotation ${name}`, texts: reader.text(name)?.split(',').map(read) ?? [] };
}

/** Converts an address to a range: OVHcloud's annotation accepts addresses too. */
function toCidr(text: string): string {
  const address = canonicalAddress(text.trim());
  if (address === undefined) return text;
  return familyOf(address) === 6 ? `${address}/128` : `${address}/32`;
}

/**
 * Parses ranges into Octavia's notation, sorted; empty allows all. `where` describes the source of the ranges for
 * messages.
 */
export function rangesOf(texts: readonly string[], where: string, ...families: readonly Family[]): readonly string[] {
  const entries = texts.map((text) => text.trim()).filter((text) => text !== '');
  if (entries.length === 0 && texts.length > 0) {
    throw new ServiceRefused(
      `${where}: "${displayText(texts.join(','))}" contains no address range: use a form such as 192.0.2.0/24`,
    );
  }
  if (entries.length > MAX_RANGES) {
    throw new ServiceRefused(`${where}: has ${entries.length} ranges, but may have at most ${MAX_RANGES}`);
  }
  const ranges = entries.map((text) => rangeOf(text, where));
  return allowedRanges(ranges, families, families, where);
}

/**
 * The ranges that listeners must allow to serve these families and close addresses of other families; empty if all
 * clients are allowed.
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
    throw new ServiceRefused(`${where}: no range is ${names}, the address family of the load balancer`);
  }
  const allowed = present.map((family): readonly string[] => {
    if (!served.includes(family)) return [];
    const familyRanges = own.filter((range) => familyOf(range) === family);
    return ranges.length === 0 || familyRanges.includes(ANY_ADDRESS[family]) ? [ANY_ADDRESS[family]] : familyRanges;
  });
  const allowsEveryone = present.every((family, at) => allowed[at]?.[0] === ANY_ADDRESS[family]);
  return allowsEveryone ? [] : [...new Set(allowed.flat())].sort();
}

/** Clears host bits, as Octavia does. */
function rangeOf(text: string, where: string): string {
  const family = familyOf(text);
  try {
    if (!text.includes('/')) throw new Error('no prefix length');
    const range = family === 6 ? new Address6(text) : new Address4(text);
    return `${range.startAddress().correctForm()}/${range.subnetMask}`;
  } catch {
    throw new ServiceRefused(
      `${where}: "${displayText(text)}" is not an address range: use a form such as 192.0.2.0/24`,
    );
  }
}
