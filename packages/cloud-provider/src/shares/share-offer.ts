import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { ShareOffer } from './share-plan.ts';

/** Operators change zones and types only a few times a year. */
const MAX_AGE_MS = 900_000;

/** The zones and share types that the cloud offers, from the project's shared lists. Rejects with the cloud's error. */
export async function shareOffer(cloud: ProjectCloud, signal: AbortSignal): Promise<ShareOffer> {
  const { cache } = cloud;
  const sinceMs = cloud.now() - MAX_AGE_MS;
  const [zones, types] = await Promise.all([
    cache.shareZones.refreshAfter(sinceMs, signal),
    cache.shareTypes.refreshAfter(sinceMs, signal),
  ]);
  return {
    zones: [...zones.items.values()].map(({ name }) => name),
    types: new Set([...types.items.values()].flatMap(({ id, name }) => [id, name])),
  };
}
