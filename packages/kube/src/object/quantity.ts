/** The notation of a quantity, kept when it is formatted: `1500m`, `1Gi`, `12e6`. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/**
 * A Kubernetes resource quantity (k8s.io/apimachinery/pkg/api/resource): a fixed-point number with nine decimals. Text with
 * more decimals is rounded away from zero.
 */
export interface Quantity {
  /** The value times 10^9. */
  readonly nanos: bigint;
  readonly format: QuantityFormat;
}

/** Thrown for an invalid quantity; the message is apimachinery's. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError';
}

const NANOS = 1_000_000_000n;
const MAX_BINARY_NANOS = (2n ** 63n - 1n) * NANOS;
// oxlint-disable-next-line fairway/linear-regexps -- of at most MAX_LENGTH characters
const PATTERN = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/;
const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** Larger exponents and longer strings can only be mistakes: they would create bigints of several megabytes. */
const MAX_EXPONENT = 400;
const MAX_LENGTH = 64;

export const ZERO: Quantity = { nanos: 0n, format: 'DecimalSI' };

/** Parses text of at most 64 characters, or a number as in JSON. Throws a QuantityError. */
export function parseQuantity(input: string | number): Quantity {
  if (typeof input === 'string' && input.length > MAX_LENGTH) {
    throw new QuantityError(`quantities must be no more than ${MAX_LENGTH} characters`);
  }
  const match = PATTERN.exec(typeof input === 'number' ? String(input) : input.trim());
  const [, sign, whole = '', fraction = '', suffix = ''] = match ?? [];
  if (match === null || (whole === '' && fraction === '')) {
    throw new QuantityError(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  }
  const { base, exponent, format } = interpretSuffix(suffix);
  let numerator = BigInt(whole + fraction) * NANOS;
  let denominator = 10n ** BigInt(fraction.length);
  if (exponent >= 0) numerator *= base ** BigInt(exponent);
  else denominator *= base ** BigInt(-exponent);
  let nanos = (numerator + denominator - 1n) / denominator;
  if (format === 'BinarySI' && nanos > MAX_BINARY_NANOS) nanos = MAX_BINARY_NANOS;
  return { nanos: sign === '-' ? -nanos : nanos, format };
}

/** Like parseQuantity; undefined for an invalid quantity. */
export function tryParseQuantity(input: unknown): Quantity | undefined {
  if (typeof input !== 'string' && typeof input !== 'number') return undefined;
  try {
    return parseQuantity(input);
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

/** Whole units, for quantities that count something (bytes, pods). */
export function quantityOf(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
  return { nanos: BigInt(value) * NANOS, format };
}

/** Thousandths, the unit in which CPU is counted. */
export function milliQuantityOf(milli: number | bigint): Quantity {
  return { nanos: BigInt(milli) * 1_000_000n, format: 'DecimalSI' };
}

/** The canonical text: no fraction, and the largest suffix that loses no precision. */
export function formatQuantity({ nanos, format }: Quantity): string {
  if (nanos === 0n) return '0';
  const magnitude = nanos < 0n ? -nanos : nanos;
  if (format === 'BinarySI' && magnitude >= 1024n * NANOS && magnitude % NANOS === 0n) {
    return formatBinary(nanos / NANOS);
  }
  return formatDecimal(nanos, format === 'DecimalExponent');
}

export function compareQuantities(left: Quantity, right: Quantity): -1 | 0 | 1 {
  if (left.nanos === right.nanos) return 0;
  return left.nanos < right.nanos ? -1 : 1;
}

/** The sum, in the format of the first quantity unless it is zero. */
export function addQuantities(left: Quantity, right: Quantity): Quantity {
  return { nanos: left.nanos + right.nanos, format: left.nanos === 0n ? right.format : left.format };
}

/** The difference, in the format of the first quantity unless it is zero. */
export function subtractQuantities(left: Quantity, right: Quantity): Quantity {
  return { nanos: left.nanos - right.nanos, format: left.nanos === 0n ? right.format : left.format };
}

/** Thousandths, rounded up (away from zero), like Go's `MilliValue()`. */
export function milliUnitsOf(quantity: Quantity): number {
  return Number(roundAwayFromZero(quantity.nanos, 1_000_000n));
}

function interpretSuffix(suffix: string): { base: bigint; exponent: number; format: QuantityFormat } {
  const decimal = DECIMAL_SUFFIXES.indexOf(suffix);
  if (decimal !== -1) return { base: 10n, exponent: (decimal - 3) * 3, format: 'DecimalSI' };
  const binary = BINARY_SUFFIXES.indexOf(suffix);
  if (binary !== -1) return { base: 2n, exponent: binary * 10, format: 'BinarySI' };
  const exponent = /^[eE]([-+]?[0-9]+)$/.exec(suffix)?.[1];
  if (exponent === undefined || Math.abs(Number(exponent)) > MAX_EXPONENT) {
    throw new QuantityError("unable to parse quantity's suffix");
  }
  return { base: 10n, exponent: Number(exponent), format: 'DecimalExponent' };
}

function formatBinary(units: bigint): string {
  let mantissa = units;
  let power = 0;
  while (mantissa % 1024n === 0n && power < BINARY_SUFFIXES.length - 1) {
    mantissa /= 1024n;
    power++;
  }
  return `${mantissa}${BINARY_SUFFIXES[power]}`;
}

function formatDecimal(nanos: bigint, useExponent: boolean): string {
  let mantissa = nanos;
  let thousands = -3;
  const maxThousands = useExponent ? Number.POSITIVE_INFINITY : DECIMAL_SUFFIXES.length - 4;
  while (mantissa % 1000n === 0n && thousands < maxThousands) {
    mantissa /= 1000n;
    thousands++;
  }
  if (!useExponent) return `${mantissa}${DECIMAL_SUFFIXES[thousands + 3]}`;
  return thousands === 0 ? `${mantissa}` : `${mantissa}e${thousands * 3}`;
}

function roundAwayFromZero(nanos: bigint, unit: bigint): bigint {
  return nanos < 0n ? -((-nanos + unit - 1n) / unit) : (nanos + unit - 1n) / unit;
}
