/** A 32-bit hash that also spreads strings which differ in one digit: FNV-1a, finished as murmur3 does. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * Which member an item belongs to, by rendezvous hashing: every member computes the same answer, and when one comes or goes
 * only its share moves. Undefined when there is no member.
 */
export function rendezvous(item: string, members: Iterable<string>): string | undefined {
  let winner: string | undefined;
  let highest = -1;
  for (const member of members) {
    const weight = hash32(`${member}\0${item}`);
    if (weight > highest || (weight === highest && winner !== undefined && member < winner)) {
      winner = member;
      highest = weight;
    }
  }
  return winner;
}
