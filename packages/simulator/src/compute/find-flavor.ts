import type { FlavorSpec } from '../config.ts';
import type { World } from '../world.ts';

/** A server's flavor; only the ID is known if the flavor is no longer in the catalog. */
export function flavorOf(world: World, id: string): FlavorSpec {
  const known = findFlavor(world, id);
  return known ?? { id, name: id, vcpus: 0, ramMiB: 0, diskGiB: 0, extraSpecs: {} };
}

export function findFlavor(world: World, id: string): FlavorSpec | undefined {
  return world.config.flavors.find((flavor) => flavor.id === id);
}
