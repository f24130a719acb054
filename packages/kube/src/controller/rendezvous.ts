/** A 32-bit hash that also spreads strings differing in one digit: FNV-1a with murmur3's finalizer. */
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
 * The member that each of `items` 0 to `count` - 1 belongs to. Uses rendezvous hashing, but no member gets more than
 * one item above an even share. Every member computes the same assignment, and when one joins or leaves, little more
 * than its share moves (consistent hashing with bounded loads, https://arxiv.org/abs/1608.01350). Empty if there are no
 * members.
 */
export function assignEvenly(count: number, members: readonly string[]): readonly string[] {
  const limit = Math.ceil(count / members.length);
  const preferences = members.flatMap((member) =>
    Array.from({ length: count }, (_, item) => ({ member, item, weight: hash32(`${member}\0${item}`) })),
  );
  preferences.sort((a, b) => b.weight - a.weight || a.item - b.item || (a.member < b.member ? -1 : 1));
  const assigned: string[] = [];
  const loads = new Map<string, number>();
  for (const { member, item } of preferences) {
    const load = loads.get(member) ?? 0;
    if (assigned[item] !== undefined || load >= limit) continue;
    assigned[item] = member;
    loads.set(member, load + 1);
  }
  return assigned;
}
