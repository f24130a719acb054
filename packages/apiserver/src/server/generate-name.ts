/** Upstream's alphabet (k8s.io/apimachinery/pkg/util/rand): no vowels, so names contain no words; and no 0, 1 or 3. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MAX_BASE_LENGTH = 63 - SUFFIX_LENGTH;

/** A name generated from `metadata.generateName`, truncated to a valid label. */
export function generateName(base: string, random: () => number): string {
  let suffix = '';
  for (let index = 0; index < SUFFIX_LENGTH; index++) suffix += ALPHABET[Math.floor(random() * ALPHABET.length)];
  return base.slice(0, MAX_BASE_LENGTH) + suffix;
}
