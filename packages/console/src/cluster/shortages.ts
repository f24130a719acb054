import type { NodePool } from '@fairway/api/kinds/node-pool';

/** A pool for whose flavor the cloud had no host. */
export interface Shortage {
  readonly pool: string;
  /** RFC 3339. */
  readonly since: string | undefined;
}

/**
 * Flavors for which the cloud recently had no host, according to the project's own pools: clouds do not report this in
 * advance. Identified by name or ID, as in the pools.
 */
export function shortagesOf(pools: readonly NodePool[]): ReadonlyMap<string, Shortage> {
  const found = new Map<string, Shortage>();
  for (const { metadata, spec, status } of pools) {
    const condition = status?.conditions?.find(({ type, reason }) => type === 'Ready' && reason === 'FlavorOutOfStock');
    if (condition?.status !== 'False') continue;
    const shortage = { pool: metadata.name ?? '', since: condition.lastTransitionTime };
    for (const flavor of [spec.flavor, status?.flavorID]) if (flavor !== undefined) found.set(flavor, shortage);
  }
  return found;
}
