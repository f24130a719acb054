const QUANTITY = /^([0-9]+)(?:\.([0-9]{1,9}))?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$/;
const DECIMAL = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/**
 * Negative, 0 or positive if `a` is less than, equal to or greater than `b`; the comparison is exact. Throws unless
 * both are quantities such as `500m`, `2` or `256Mi`.
 */
export function compareQuantities(a: string, b: string): number {
  const difference = billionths(a) - billionths(b);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function billionths(text: string): bigint {
  const [, whole, fraction = '', unit = ''] = QUANTITY.exec(text) ?? [];
  if (whole === undefined) throw new Error(`"${text}" is not a quantity such as 500m, 2 or 256Mi`);
  const digits = BigInt(whole + fraction.padEnd(9, '0'));
  if (unit === 'm') return digits / 1000n;
  if (BINARY.includes(unit)) return digits * 1024n ** BigInt(BINARY.indexOf(unit));
  return digits * 1000n ** BigInt(DECIMAL.indexOf(unit));
}
