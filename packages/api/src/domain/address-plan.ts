import { CidrError, overlaps, parseAddress, parseCidr } from './cidr.ts';

/** A range and its purpose. */
export interface NamedRange {
  /** For example `pod network` or `subnet "data"`. */
  readonly name: string;
  readonly cidr: string;
}

/** Two overlapping ranges. */
export interface Overlap<T extends NamedRange> {
  readonly a: T;
  readonly b: T;
}

/** All pairs of overlapping ranges. Invalid IPv4 ranges are ignored: they are reported by a separate validation. */
export function findOverlaps<T extends NamedRange>(ranges: readonly T[]): Overlap<T>[] {
  const found: Overlap<T>[] = [];
  for (const [index, a] of ranges.entries()) {
    for (const b of ranges.slice(index + 1)) if (rangesOverlap(a.cidr, b.cidr)) found.push({ a, b });
  }
  return found;
}

function rangesOverlap(a: string, b: string): boolean {
  try {
    return overlaps(parseCidr(a), parseCidr(b));
  } catch (error) {
    if (error instanceof CidrError) return false;
    throw error;
  }
}

/**
 * Why a default gateway can't have this address in the nodes' range; undefined if it can. An invalid range is reported
 * by a separate validation.
 */
export function gatewayProblem(address: string, range: string): string | undefined {
  try {
    const cidr = parseCidr(range);
    const value = parseAddress(address);
    if (value < cidr.first || value > cidr.last) {
      return `is outside the nodes' CIDR ${range}, so nodes could not reach it: choose an address in it`;
    }
    if (value !== cidr.first && value !== cidr.last) return undefined;
    const addressKind = value === cidr.first ? 'network' : 'broadcast';
    return `is the ${addressKind} address of the nodes' CIDR ${range}: choose another address in it`;
  } catch (error) {
    if (error instanceof CidrError) return undefined;
    throw error;
  }
}
