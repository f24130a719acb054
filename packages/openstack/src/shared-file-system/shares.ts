import { z } from 'zod';
import { metadataFilter } from '../block-storage/metadata-filter.ts';
import { isOpenStackError, OpenStackError } from '../http/openstack-error.ts';
import type { CallOptions, ServiceApi } from '../service-api.ts';
import { list, record } from '../types/collections.ts';
import { ExportLocation, Share, type ShareCreate } from '../types/shared-file-system.ts';
import { offsetPages } from './offset-pages.ts';

export interface ShareFilter {
  readonly name?: string;
  readonly status?: string;
  /** All must match; neither keys nor values may contain a quote or a backslash. */
  readonly metadata?: Readonly<Record<string, string>>;
}

const ShareEnvelope = z.object({ share: Share });
const ShareList = z.object({ shares: list(Share) });
const LocationList = z.object({ export_locations: list(ExportLocation) });
const Metadata = z.object({ metadata: record(z.string()) });

/** https://docs.openstack.org/api-ref/shared-file-system/#shares */
export class Shares {
  readonly #api: ServiceApi;

  constructor(api: ServiceApi) {
    this.#api = api;
  }

  /** `GET /shares/detail`, of the session's project, oldest first. */
  list(filter: ShareFilter = {}, options: CallOptions & { readonly pageSize?: number } = {}): AsyncGenerator<Share> {
    const { metadata, ...rest } = filter;
    const order = { sort_key: 'created_at', sort_dir: 'asc' };
    return offsetPages(this.#api, '/shares/detail', {
      ...options,
      query: { ...rest, metadata: metadata && metadataFilter(metadata), ...order },
      schema: ShareList,
      items: ({ shares }) => shares,
    });
  }

  /** `GET /shares/{share_id}`. */
  async get(id: string, options: CallOptions = {}): Promise<Share> {
    const call = { ...options, params: { share_id: id } };
    return (await this.#api.get(ShareEnvelope, '/shares/{share_id}', call)).share;
  }

  /** `POST /shares`: returns while the share is `creating`. */
  async create(share: ShareCreate, options: CallOptions = {}): Promise<Share> {
    return (await this.#api.post(ShareEnvelope, '/shares', { ...options, body: { share } })).share;
  }

  /**
   * `DELETE /shares/{share_id}`: rejects with `conflict` while the share has snapshots or is in a status that forbids
   * deletion; done when a GET returns 404.
   */
  async delete(id: string, options: CallOptions = {}): Promise<void> {
    try {
      await this.#api.send('DELETE', '/shares/{share_id}', { ...options, params: { share_id: id } });
    } catch (error) {
      throw invalidStateError(error) ?? error;
    }
  }

  /**
   * `POST /shares/{share_id}/action` `extend`: extends to the given size in GiB, which must exceed the current one; the
   * share must be `available`. It becomes `extending` a moment later.
   */
  async extend(id: string, sizeGiB: number, options: CallOptions = {}): Promise<void> {
    const call = { ...options, params: { share_id: id }, body: { extend: { new_size: sizeGiB } } };
    await this.#api.send('POST', '/shares/{share_id}/action', call);
  }

  /** `GET /shares/{share_id}/export_locations`: empty before the share is `available`. */
  async exportLocations(id: string, options: CallOptions = {}): Promise<readonly ExportLocation[]> {
    const call = { ...options, params: { share_id: id } };
    return (await this.#api.get(LocationList, '/shares/{share_id}/export_locations', call)).export_locations;
  }

  /** `POST /shares/{share_id}/metadata`: sets these keys and keeps the others. */
  async mergeMetadata(
    id: string,
    metadata: Readonly<Record<string, string>>,
    options: CallOptions = {},
  ): Promise<Readonly<Record<string, string>>> {
    const call = { ...options, params: { share_id: id }, body: { metadata }, idempotent: true };
    return (await this.#api.post(Metadata, '/shares/{share_id}/metadata', call)).metadata;
  }
}

/** Manila's 403 for errors other than missing permissions: `Invalid share: …`. */
function invalidStateError(error: unknown): OpenStackError | undefined {
  if (!isOpenStackError(error, 'forbidden') || !/^invalid share\b/i.test(error.detail)) return undefined;
  const { service, method, template, status, requestId, outcome, host } = error;
  const message = 'the share has snapshots, or its status does not allow deletion';
  const kept = { kind: 'conflict', service, method, template, status, requestId, outcome, host, message } as const;
  return new OpenStackError({ ...kept, cause: error });
}
