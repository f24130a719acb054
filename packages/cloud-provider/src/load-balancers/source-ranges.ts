import type { Service } from '@fairway/kube/kinds/generated/types';
import { Address4, Address6 } from 'ip-address';
import { ANNOTATION } from './annotation-names.ts';
import { type AnnotationReader, shown } from './annotation-reader.ts';
import { ServiceRefused } from './service-refused.ts';

const MAX_RANGES = 256;
const EVERYBODY: ReadonlySet<string> = new Set(['0.0.0.0/0', '::/0']);

/** Who may connect, as Octavia writes ranges, sorted; empty for everybody. The annotation counts where the field is empty. */
export function sourceRangesOf({ spec }: Service, reader: AnnotationReader, family: 4 | 6): readonly string[] {
  const field = 'spec.loadBalancerSourceRanges';
  const ofSpec = spec.loadBalancerSourceRanges ?? [];
  const ofAnnotation = reader.text(ANNOTATION.sourceRanges)?.split(',') ?? [];
  const [where, texts] = ofSpec.length > 0 ? [field, ofSpec] : [`annotation ${ANNOTATION.sourceRanges}`, ofAnnotation];
  return rangesOf(texts, where, family);
}

/** Of these texts, as Octavia writes ranges, sorted; empty for everybody. `where` they are written. */
export function rangesOf(texts: readonly string[], where: string, family: 4 | 6): readonly string[] {
  const given = texts.map((text) => text.trim()).filter((text) => text !== '');
  if (given.length > MAX_RANGES) {
    throw new ServiceRefused(`${where}: has ${given.length} ranges, and may have ${MAX_RANGES}`);
  }
  const ranges = given.map((text) => rangeOf(text, where));
  const own = ranges.filter((range) => range.family === family);
  if (ranges.length > 0 && own.length === 0) {
    throw new ServiceRefused(`${where}: none of the ranges is of IPv${family}, which the load balancer has`);
  }
  const all = own.map(({ text }) => text);
  return all.some((text) => EVERYBODY.has(text)) ? [] : [...new Set(all)].sort();
}

/** Bits of the host part are cleared, as Octavia does. */
function rangeOf(text: string, where: string): { readonly text: string; readonly family: 4 | 6 } {
  const family = text.includes(':') ? 6 : 4;
  try {
    if (!text.includes('/')) throw new Error('no prefix length');
    const range = family === 6 ? new Address6(text) : new Address4(text);
    return { text: `${range.startAddress().correctForm()}/${range.subnetMask}`, family };
  } catch {
    throw new ServiceRefused(`${where}: "${shown(text)}" is no range of addresses: write it as 192.0.2.0/24`);
  }
}
