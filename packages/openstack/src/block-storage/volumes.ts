import { z } from 'zod';
import { pages } from '../pages.ts';
import type { CallOptions, ServiceApi } from '../service-api.ts';
import { Volume, type VolumeCreate } from '../types/block-storage.ts';
import { list, record } from '../types/collections.ts';
import { Link } from '../types/link.ts';
import { metadataFilter } from './metadata-filter.ts';

export interface VolumeFilter {
  readonly name?: string;
  readonly status?: string;
  /** All must match; neither keys nor values may contain a quote or a backslash. */
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface VolumeListOptions extends CallOptions {
  readonly pageSize?: number;
  /** Id of the item after which the list begins; `notFound` if it no longer exists. */
  readonly marker?: string | undefined;
}

/** The first microversion in which Cinder can extend a volume in use. */
const ONLINE_EXTEND_MICROVERSION = '3.42';

const VolumeEnvelope = z.object({ volume: Volume });
const VolumePage = z.object({ volumes: list(Volume), volumes_links: list(Link).optional() });
const Metadata = z.object({ metadata: record(z.string()) });

/** https://docs.openstack.org/api-ref/block-storage/v3/#volumes-volumes */
export class Volumes {
  readonly #api: ServiceApi;

  constructor(api: ServiceApi) {
    this.#api = api;
  }

  /** `GET /volumes/detail`, for the session's project, newest first. */
  list(filter: VolumeFilter = {}, options: VolumeListOptions = {}): AsyncGenerator<Volume> {
    const { metadata, ...rest } = filter;
    return pages(this.#api, '/volumes/detail', {
      ...options,
      query: { ...rest, metadata: metadata && metadataFilter(metadata) },
      schema: VolumePage,
      page: (wire) => ({
        items: wire.volumes,
        next: wire.volumes_links?.find((link) => link.rel === 'next')?.href,
      }),
    });
  }

  /** `GET /volumes/{volume_id}`. */
  async get(id: string, options: CallOptions = {}): Promise<Volume> {
    const call = { ...options, params: { volume_id: id } };
    return (await this.#api.get(VolumeEnvelope, '/volumes/{volume_id}', call)).volume;
  }

  /** `POST /volumes`: returns while the volume is `creating`. */
  async create(volume: VolumeCreate, options: CallOptions = {}): Promise<Volume> {
    return (await this.#api.post(VolumeEnvelope, '/volumes', { ...options, body: { volume } })).volume;
  }

  /** `DELETE /volumes/{volume_id}`: refused with `badRequest` while it is in use or has snapshots; done when a GET returns 404. */
  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.#api.send('DELETE', '/volumes/{volume_id}', { ...options, params: { volume_id: id } });
  }

  /**
   * `POST /volumes/{volume_id}/action` `os-extend`: extends to the given size in GiB, which must exceed the current
   * one. Returns while the volume is `extending`. Extending a volume in use needs 3.42 and support from the back end
   * and the hypervisor; otherwise the volume must be `available`.
   */
  async extend(id: string, sizeGiB: number, options: CallOptions & { readonly isInUse?: boolean } = {}): Promise<void> {
    const { isInUse, ...rest } = options;
    await this.#api.send('POST', '/volumes/{volume_id}/action', {
      ...rest,
      ...(isInUse && { minMicroversion: ONLINE_EXTEND_MICROVERSION }),
      params: { volume_id: id },
      body: { 'os-extend': { new_size: sizeGiB } },
    });
  }

  /** `PUT /volumes/{volume_id}` with a new name. */
  async rename(id: string, name: string, options: CallOptions = {}): Promise<Volume> {
    const call = { ...options, params: { volume_id: id }, body: { volume: { name } }, idempotent: true };
    return (await this.#api.put(VolumeEnvelope, '/volumes/{volume_id}', call)).volume;
  }

  /** `POST /volumes/{volume_id}/metadata`: sets these keys and keeps the others. */
  async mergeMetadata(
    id: string,
    metadata: Readonly<Record<string, string>>,
    options: CallOptions = {},
  ): Promise<Readonly<Record<string, string>>> {
    const call = { ...options, params: { volume_id: id }, body: { metadata }, idempotent: true };
    return (await this.#api.post(Metadata, '/volumes/{volume_id}/metadata', call)).metadata;
  }

  /** `DELETE /volumes/{volume_id}/metadata/{key}`. */
  async deleteMetadata(id: string, key: string, options: CallOptions = {}): Promise<void> {
    const params = { volume_id: id, key };
    await this.#api.send('DELETE', '/volumes/{volume_id}/metadata/{key}', { ...options, params });
  }
}
