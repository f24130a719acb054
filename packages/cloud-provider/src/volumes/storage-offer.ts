import type { VolumeType } from '@fairway/openstack/types/block-storage';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { StorageOffer } from './volume-plan.ts';

/** Operators change zones and types a few times a year. */
const MAX_AGE_MS = 900_000;

/**
 * The zones and volume types that the cloud offers, from the project's shared lists. Rejects with the cloud's error.
 */
export async function storageOffer(cloud: ProjectCloud, signal: AbortSignal): Promise<StorageOffer> {
  const { cache } = cloud;
  const sinceMs = cloud.now() - MAX_AGE_MS;
  const [volumeZones, computeZones, types] = await Promise.all([
    cache.volumeZones.refreshAfter(sinceMs, signal),
    cache.computeZones.refreshAfter(sinceMs, signal),
    cache.volumeTypes.refreshAfter(sinceMs, signal),
  ]);
  const available = [...volumeZones.items.values()].filter(({ zoneState }) => zoneState.available);
  const multiattach = [...types.items.values()].filter(isMultiattach);
  const namesOf = (someTypes: Iterable<VolumeType>) => new Set([...someTypes].flatMap(({ id, name }) => [id, name]));
  return {
    volumeZones: available.map(({ zoneName }) => zoneName),
    computeZones: [...computeZones.items.keys()],
    volumeTypes: namesOf(types.items.values()),
    multiattachTypes: namesOf(multiattach),
  };
}

/** Cinder's notation for a required back end capability. */
function isMultiattach({ extra_specs }: VolumeType): boolean {
  return /^<is>\s*true$/i.test(extra_specs?.['multiattach'] ?? '');
}
