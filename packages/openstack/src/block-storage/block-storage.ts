import { z } from 'zod';
import type { CallOptions, ServiceApi } from '../service-api.ts';
import { BlockStorageLimits, VolumeType, VolumeZone } from '../types/block-storage.ts';
import { list } from '../types/collections.ts';
import { VolumeSnapshots } from './volume-snapshots.ts';
import { Volumes } from './volumes.ts';

/** Used if the service supports it (Yoga): covers snapshots of volumes in use and all older features. */
export const BLOCK_STORAGE_MICROVERSION = '3.66';

const TypeList = z.object({ volume_types: list(VolumeType) });
const ZoneList = z.object({ availabilityZoneInfo: list(VolumeZone) });
const LimitsEnvelope = z.object({ limits: z.object({ absolute: BlockStorageLimits }) });

/** https://docs.openstack.org/api-ref/block-storage/v3/ */
export class BlockStorage {
  readonly volumes: Volumes;
  readonly snapshots: VolumeSnapshots;
  readonly #api: ServiceApi;

  constructor(api: ServiceApi) {
    this.#api = api;
    this.volumes = new Volumes(api);
    this.snapshots = new VolumeSnapshots(api);
  }

  /**
   * `GET /types`: public types and those that the project has access to. Clouds have only a few; Cinder returns up to
   * 1,000.
   */
  async volumeTypes(options: CallOptions = {}): Promise<readonly VolumeType[]> {
    return (await this.#api.get(TypeList, '/types', options)).volume_types;
  }

  /** `GET /os-availability-zone`. */
  async availabilityZones(options: CallOptions = {}): Promise<readonly VolumeZone[]> {
    return (await this.#api.get(ZoneList, '/os-availability-zone', options)).availabilityZoneInfo;
  }

  /** `GET /limits`: the project's limits and usage. */
  async limits(options: CallOptions = {}): Promise<BlockStorageLimits> {
    return (await this.#api.get(LimitsEnvelope, '/limits', options)).limits.absolute;
  }
}
