import { CATALOGUE_INTERVAL_MS, type CachedKind, STABLE_INTERVAL_MS } from '../cache/cached-kind.ts';
import type { ClientService } from '../service.ts';
import type { ServiceApi } from '../service-api.ts';
import type { Volume, VolumeSnapshot, VolumeType, VolumeZone } from '../types/block-storage.ts';
import { BLOCK_STORAGE_MICROVERSION, BlockStorage } from './block-storage.ts';
import type { VolumeSnapshotFilter } from './volume-snapshots.ts';
import type { VolumeFilter } from './volumes.ts';

const volumes: CachedKind<BlockStorage, Volume, VolumeFilter> = {
  slowMs: STABLE_INTERVAL_MS,
  list: (blockStorage, filter, call) => blockStorage.volumes.list(filter, call),
};
const volumeSnapshots: CachedKind<BlockStorage, VolumeSnapshot, VolumeSnapshotFilter> = {
  slowMs: STABLE_INTERVAL_MS,
  list: (blockStorage, filter, call) => blockStorage.snapshots.list(filter, call),
};
const volumeTypes: CachedKind<BlockStorage, VolumeType> = {
  slowMs: CATALOGUE_INTERVAL_MS,
  async *list(blockStorage, _, call) {
    yield* await blockStorage.volumeTypes(call);
  },
};
/** A zone's id is its name. */
const volumeZones: CachedKind<BlockStorage, VolumeZone & { readonly id: string }> = {
  slowMs: CATALOGUE_INTERVAL_MS,
  async *list(blockStorage, _, call) {
    for (const zone of await blockStorage.availabilityZones(call)) yield { id: zone.zoneName, ...zone };
  },
};

export const blockStorageService = {
  type: 'block-storage',
  project: 'Cinder',
  aliases: ['volumev3', 'block-store', 'volume'],
  majorVersion: /^v3$/,
  microversions: { name: 'volume', wanted: BLOCK_STORAGE_MICROVERSION },
  clientName: 'blockStorage',
  client: (api: ServiceApi) => new BlockStorage(api),
  cached: { volumes, volumeSnapshots, volumeTypes, volumeZones },
} as const satisfies ClientService;
