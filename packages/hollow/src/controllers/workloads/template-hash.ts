import { canonicalJson } from '@fairway/kube/object/json';

/** The alphabet of k8s.io/apimachinery/pkg/util/rand, used to encode the hash; it avoids spelling words. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** FNV-1a of the value's JSON, in the form of a `pod-template-hash`. `collisions` changes the result. */
export function hashOf(value: unknown, collisions = 0): string {
  const text = canonicalJson(value) + (collisions === 0 ? '' : String(collisions));
  return safeEncode(String(fnv1a(Buffer.from(text))));
}

function fnv1a(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

function safeEncode(text: string): string {
  return Array.from(text, (digit) => ALPHABET[digit.charCodeAt(0) % ALPHABET.length]).join('');
}
