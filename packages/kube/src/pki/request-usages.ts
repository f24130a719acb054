import { derContents, derElements, encodeDer, TAG } from './der.ts';
import { extendedKeyUsages, keyUsageNames } from './key-usage.ts';
import { PkiError } from './pki-error.ts';

/** The bits of KeyUsage (RFC 5280 4.2.1.3), from the highest bit of the first byte. */
const BITS = 9;

/**
 * The usages in the value of a keyUsage extension, by their names in certificates.k8s.io. Throws a PkiError if it is
 * not DER.
 */
export function readKeyUsages(value: Buffer): string[] {
  const [bits] = derElements(value);
  const flags = Array.from({ length: BITS }, (_, bit) => {
    const byte = bits?.content[1 + (bit >> 3)] ?? 0;
    return (byte & (0x80 >> (bit & 7))) !== 0;
  });
  if (!encodeBits(flags).equals(value)) throw new PkiError('the key usage is not in its canonical form (DER)');
  return flags.flatMap((isSet, bit) => (isSet ? keyUsageNames(1 << bit) : []));
}

/**
 * The usages in the value of an extKeyUsage extension. Throws a PkiError for a usage that Kubernetes does not define.
 */
export function readExtendedKeyUsages(value: Buffer): string[] {
  return derContents(value, TAG.sequence).map(({ bytes }) => {
    const name = extendedKeyUsages.find(({ identifier }) => encodeIdentifier(identifier).equals(bytes))?.name;
    if (name === undefined) throw new PkiError('the extended key usage is not defined in certificates.k8s.io');
    return name;
  });
}

/** A list of named bits, without trailing zeroes (X.690 11.2.2). */
function encodeBits(flags: readonly boolean[]): Buffer {
  const size = flags.lastIndexOf(true) + 1;
  const bytes = Buffer.alloc(1 + Math.ceil(size / 8));
  bytes[0] = (8 - (size % 8)) % 8;
  for (let bit = 0; bit < size; bit++) {
    const at = 1 + (bit >> 3);
    if (flags[bit]) bytes[at] = (bytes[at] ?? 0) | (0x80 >> (bit & 7));
  }
  return encodeDer(TAG.bitString, bytes);
}

function encodeIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...arcs] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second, ...arcs].flatMap(encodeArc);
  return encodeDer(TAG.objectIdentifier, Buffer.from(bytes));
}

function encodeArc(arc: number): number[] {
  const bytes = [arc & 0x7f];
  for (let rest = arc >>> 7; rest > 0; rest >>>= 7) bytes.unshift(0x80 | (rest & 0x7f));
  return bytes;
}
