/**
 * The zones for `count` new machines, so that the pool is spread evenly over its zones: each machine is placed in the
 * zone with the fewest machines, the first one on a tie. `existing` lists the zones of the machines that stay. A full
 * zone can be left out of `zones` temporarily: the other zones then get more machines, and the balance is restored
 * later.
 */
export function placeMachines(
  zones: readonly string[],
  existing: readonly (string | undefined)[],
  count: number,
): (string | undefined)[] {
  if (zones.length === 0) return Array.from({ length: count }, () => undefined);
  const perZone = new Map(zones.map((zone) => [zone, 0]));
  for (const zone of existing) {
    if (zone !== undefined && perZone.has(zone)) perZone.set(zone, (perZone.get(zone) ?? 0) + 1);
  }
  return Array.from({ length: count }, () => {
    const [zone, machines] = [...perZone].reduce((fewest, entry) => (entry[1] < fewest[1] ? entry : fewest));
    perZone.set(zone, machines + 1);
    return zone;
  });
}
