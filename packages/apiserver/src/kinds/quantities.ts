import { formatQuantity, parseQuantity, tryParseQuantity } from '@fairway/kube/object/quantity';

/**
 * Converts a map of quantities to canonical form, as decoding into Go's types does: `cpu: 1` becomes "1", `1000m`
 * becomes "1". Invalid quantities are left for validation to reject.
 */
export function canonicalizeQuantities(quantities: Record<string, string> | undefined | null): void {
  if (!quantities) return;
  for (const [name, value] of Object.entries(quantities)) quantities[name] = canonicalQuantity(value);
}

export function canonicalQuantity(value: string): string {
  const quantity = tryParseQuantity(value);
  return quantity === undefined ? value : formatQuantity(quantity);
}

/** Whether a request exceeds its limit. */
export function exceeds(request: string, limit: string): boolean {
  return parseQuantity(request).nanos > parseQuantity(limit).nanos;
}
