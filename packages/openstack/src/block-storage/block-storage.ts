import { z } from 'zod';
import type { CallOptions, ServiceApi } from '../service-api.ts';
import { BlockStorageLimits, VolumeType } from '../types/block-storage.ts';

const TypeList = z.object({ volume_types: z.array(VolumeType) });
const LimitsEnvelope = z.object({ limits: z.object({ absolute: BlockStorageLimits }) });

/** https://docs.openstack.org/api-ref/block-storage/v3/ */
export class BlockStorage {
  readonly #api: ServiceApi;

  constructor(api: ServiceApi) {
    this.#api = api;
  }

  /** `GET /types`: public ones and those that the project was given. Clouds have a handful; Cinder answers with up to 1,000. */
  async volumeTypes(options: CallOptions = {}): Promise<readonly VolumeType[]> {
    return (await this.#api.get(TypeList, '/types', options)).volume_types;
  }

  /** `GET /limits`: the project's limits and what it uses of them. */
  async limits(options: CallOptions = {}): Promise<BlockStorageLimits> {
    return (await this.#api.get(LimitsEnvelope, '/limits', options)).limits.absolute;
  }
}
