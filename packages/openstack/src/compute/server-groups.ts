import { z } from 'zod';
import { countedPages } from '../counted-pages.ts';
import type { CallOptions, ServiceApi } from '../service-api.ts';
import { list } from '../types/collections.ts';
import { ServerGroup, type ServerGroupCreate } from '../types/compute.ts';

const GroupEnvelope = z.object({ server_group: ServerGroup });
const GroupPage = z.object({ server_groups: list(ServerGroup) });

/** Nova's default and maximum for `limit` (`[api] max_limit`). */
const PAGE_SIZE = 1000;

/** https://docs.openstack.org/api-ref/compute/#server-groups-os-server-groups */
export class ServerGroups {
  readonly #api: ServiceApi;

  constructor(api: ServiceApi) {
    this.#api = api;
  }

  /** `GET /os-server-groups`: pages by offset, without links. */
  list(options: CallOptions & { readonly pageSize?: number } = {}): AsyncGenerator<ServerGroup, void> {
    return countedPages(this.#api, '/os-server-groups', {
      pageSize: PAGE_SIZE,
      ...options,
      schema: GroupPage,
      items: ({ server_groups }) => server_groups,
      idOf: ({ id }) => id,
      isLast: ({ server_groups }, limit) => server_groups.length < limit,
    });
  }

  /** `GET /os-server-groups/{server_group_id}`. */
  async get(id: string, options: CallOptions = {}): Promise<ServerGroup> {
    const call = { ...options, params: { server_group_id: id } };
    return (await this.#api.get(GroupEnvelope, '/os-server-groups/{server_group_id}', call)).server_group;
  }

  /** `POST /os-server-groups` with `policy` and `rules`; 2.64. Names need not be unique. */
  async create(group: ServerGroupCreate, options: CallOptions = {}): Promise<ServerGroup> {
    const call = { ...options, body: { server_group: group }, minMicroversion: '2.64' };
    return (await this.#api.post(GroupEnvelope, '/os-server-groups', call)).server_group;
  }

  /** `DELETE /os-server-groups/{server_group_id}`; its servers remain. */
  async delete(id: string, options: CallOptions = {}): Promise<void> {
    const params = { server_group_id: id };
    await this.#api.send('DELETE', '/os-server-groups/{server_group_id}', { ...options, params });
  }
}
