import { type Quantity, tryParseQuantity } from '@fairway/kube/object/quantity';

const GIB_NANOS = 2n ** 30n * 10n ** 9n;
/** Cinder's maximum size. */
const MAX_GIB = 2n ** 31n - 1n;

/** The size in whole GiB, rounded up, at least one; undefined if invalid. */
export function gibOf(quantity: string | undefined): number | undefined {
  const parsed = tryParseQuantity(quantity ?? '0');
  if (parsed === undefined || parsed.nanos < 0n) return undefined;
  const gib = gibOfQuantity(parsed);
  return gib > MAX_GIB ? undefined : Math.max(Number(gib), 1);
}

/** `10Gi`. */
export function quantityOfGib(gib: number): string {
  return `${gib}Gi`;
}

function gibOfQuantity({ nanos }: Quantity): bigint {
  return (nanos + GIB_NANOS - 1n) / GIB_NANOS;
}
