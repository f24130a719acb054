import { z } from 'zod';
import { pages } from '../pages.ts';
import type { CallOptions, ServiceApi } from '../service-api.ts';
import { VolumeSnapshot, type VolumeSnapshotCreate } from '../types/block-storage.ts';
import { list, record } from '../types/collections.ts';
import { Link } from '../types/link.ts';
import { metadataFilter } from './metadata-filter.ts';
import type { VolumeListOptions } from './volumes.ts';

export interface VolumeSnapshotFilter {
  readonly name?: string;
  readonly status?: string;
  readonly volume_id?: string;
  /** All must match; neither keys nor values may contain a quote or a backslash. */
  readonly metadata?: Readonly<Record<string, string>>;
}

const Metadata = z.object({ metadata: record(z.string()) });
const SnapshotEnvelope = z.object({ snapshot: VolumeSnapshot });
const SnapshotPage = z.object({ snapshots: list(VolumeSnapshot), snapshots_links: list(Link).optional() });

/** https://docs.openstack.org/api-ref/block-storage/v3/#volume-snapshots-snapshots */
export class VolumeSnapshots {
  readonly #api: ServiceApi;

  constructor(api: ServiceApi) {
    this.#api = api;
  }

  /** `GET /snapshots/detail`, for the session's project, newest first. */
  list(filter: VolumeSnapshotFilter = {}, options: VolumeListOptions = {}): AsyncGenerator<VolumeSnapshot> {
    const { metadata, ...rest } = filter;
    return pages(this.#api, '/snapshots/detail', {
      ...options,
      query: { ...rest, metadata: metadata && metadataFilter(metadata) },
      schema: SnapshotPage,
      page: (wire) => ({
        items: wire.snapshots,
        next: wire.snapshots_links?.find((link) => link.rel === 'next')?.href,
      }),
    });
  }

  /** `GET /snapshots/{snapshot_id}`. */
  async get(id: string, options: CallOptions = {}): Promise<VolumeSnapshot> {
    const call = { ...options, params: { snapshot_id: id } };
    return (await this.#api.get(SnapshotEnvelope, '/snapshots/{snapshot_id}', call)).snapshot;
  }

  /** `POST /snapshots`; the volume may be in use. Returns while the snapshot is `creating`. */
  async create(snapshot: VolumeSnapshotCreate, options: CallOptions = {}): Promise<VolumeSnapshot> {
    // Required before 3.66 if the volume is in use; since then only true is allowed, without effect.
    const body = { snapshot: { ...snapshot, force: true } };
    return (await this.#api.post(SnapshotEnvelope, '/snapshots', { ...options, body })).snapshot;
  }

  /** `POST /snapshots/{snapshot_id}/metadata`: sets these keys and keeps the others. */
  async mergeMetadata(
    id: string,
    metadata: Readonly<Record<string, string>>,
    options: CallOptions = {},
  ): Promise<Readonly<Record<string, string>>> {
    const call = { ...options, params: { snapshot_id: id }, body: { metadata }, idempotent: true };
    return (await this.#api.post(Metadata, '/snapshots/{snapshot_id}/metadata', call)).metadata;
  }

  /** `DELETE /snapshots/{snapshot_id}`: refused with `badRequest` unless it is `available` or `error`; done when a GET returns 404. */
  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.#api.send('DELETE', '/snapshots/{snapshot_id}', { ...options, params: { snapshot_id: id } });
  }
}
