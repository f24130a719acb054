import { createHash } from 'node:crypto';

/** Namespace of the UUIDs generated here, as RFC 9562 section 6.5 requires. */
const UUID_NAMESPACE = Buffer.from('0f5a4c0e2d3b4b6f9a7e5c1d8e9f0a1b', 'hex');

/** The same UUID (version 5) for the same text, in every replica and after every restart. */
export function stableUuid(text: string): string {
  const bytes = createHash('sha1').update(UUID_NAMESPACE).update(text).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text);
}
