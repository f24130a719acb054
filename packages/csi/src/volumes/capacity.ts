import { status } from '@grpc/grpc-js';
import { CallError, invalidArgument } from '../calls/call-error.ts';
import type { CapacityRange } from '../protocol/messages.ts';

export const GIB = 2 ** 30;
/** Cinder's maximum. */
const MAX_GIB = 2 ** 31 - 1;

/**
 * The size in whole GiB that satisfies the range; 1 if nothing is requested. Throws if no size can satisfy the range.
 * Pure.
 */
export function sizeFor(range: CapacityRange | null): number {
  const { required_bytes: required, limit_bytes: limit } = range ?? { required_bytes: 0, limit_bytes: 0 };
  if (required < 0 || limit < 0) throw invalidArgument('capacity_range has a negative size');
  const sizeGiB = Math.max(Math.ceil(required / GIB), 1);
  if (limit > 0 && sizeGiB * GIB > limit) {
    const message = `capacity_range: Cinder volume sizes are whole GiB, and ${sizeGiB} GiB exceeds limit_bytes ${limit}`;
    throw new CallError(status.OUT_OF_RANGE, message);
  }
  if (sizeGiB > MAX_GIB)
    throw new CallError(status.OUT_OF_RANGE, `capacity_range: ${sizeGiB} GiB is not a valid volume size`);
  return sizeGiB;
}

/** Whether a volume of this size satisfies the range. Pure. */
export function isWithin(sizeGiB: number, range: CapacityRange | null): boolean {
  const { limit_bytes: limit = 0 } = range ?? {};
  return sizeGiB >= sizeFor(range) && (limit === 0 || sizeGiB * GIB <= limit);
}
