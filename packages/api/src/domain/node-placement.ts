/**
 * The zones for `count` new machines, so that the pool's machines are spread evenly over its zones: every one goes where
 * the fewest are, the first named zone among equals. `existing` are the zones of machines that stay. One zone that is full
 * can be left out of `zones` for a while: the others then take more, and even out later.
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
