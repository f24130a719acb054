import { z } from 'zod';
import { pages } from '../pages.ts';
import type { CallOptions, ServiceApi } from '../service-api.ts';
import { list, record } from '../types/collections.ts';
import { Link } from '../types/link.ts';
import {
  InterfaceAttachment,
  type SchedulerHints,
  Server,
  type ServerCreate,
  ServerCreated,
  type ServerNetwork,
  type ServerRebuild,
  type ServerStatus,
  VolumeDevice,
} from '../types/server.ts';

export interface ServerFilter {
  /** A regular expression that Nova passes to its database, so anchor it. */
  readonly name?: string;
  readonly status?: ServerStatus;
  /** All of these tags must match. From 2.26. */
  readonly tags?: readonly string[];
  /** One of these tags must match. From 2.26. */
  readonly tagsAny?: readonly string[];
  /** Changed or deleted since; includes deleted servers, with status DELETED. */
  readonly changesSince?: string;
}

/** The microversion in which Nova writes the image to the boot volume of a server; older ones leave it unchanged. */
export const REIMAGE_MICROVERSION = '2.93';

export interface ServerRebuildOptions extends CallOptions {
  /** The server boots from a volume; the call is rejected on clouds that would leave the volume unchanged. */
  readonly isVolumeBacked?: boolean;
}

export interface ServerCreateOptions extends CallOptions {
  readonly hints?: SchedulerHints;
}

const ServerEnvelope = z.object({ server: Server });
const ServerPage = z.object({ servers: list(Server), servers_links: list(Link).optional() });
const CreatedEnvelope = z.object({ server: ServerCreated });
const Output = z.object({ output: z.string() });
const Tags = z.object({ tags: list(z.string()) });
const Metadata = z.object({ metadata: record(z.string()) });
const AttachmentEnvelope = z.object({ interfaceAttachment: InterfaceAttachment });
const VolumeEnvelope = z.object({ volumeAttachment: VolumeDevice });
const AttachmentList = z.object({ interfaceAttachments: list(InterfaceAttachment) });

/** https://docs.openstack.org/api-ref/compute/#servers-servers */
export class Servers {
  readonly #api: ServiceApi;

  constructor(api: ServiceApi) {
    this.#api = api;
  }

  /** `GET /servers/detail`, for the session's project, newest first. */
  list(filter: ServerFilter = {}, options: CallOptions & { readonly pageSize?: number } = {}): AsyncGenerator<Server> {
    return pages(this.#api, '/servers/detail', {
      ...options,
      ...((filter.tags ?? filter.tagsAny) !== undefined && { minMicroversion: '2.26' }),
      query: {
        name: filter.name,
        status: filter.status,
        tags: filter.tags?.join(','),
        'tags-any': filter.tagsAny?.join(','),
        'changes-since': filter.changesSince,
      },
      schema: ServerPage,
      page: (wire) => ({
        items: wire.servers,
        next: wire.servers_links?.find((link) => link.rel === 'next')?.href,
      }),
    });
  }

  /** `GET /servers/{server_id}`. */
  async get(id: string, options: CallOptions = {}): Promise<Server> {
    const call = { ...options, params: { server_id: id } };
    return (await this.#api.get(ServerEnvelope, '/servers/{server_id}', call)).server;
  }

  /**
   * `POST /servers`; tags from 2.52, a `networks` keyword from 2.37, `hostname` from 2.90. Returns before the server is
   * built. Until it has a host it can only be read and deleted; everything else fails with `notFound`.
   */
  async create(server: ServerCreate, options: ServerCreateOptions = {}): Promise<ServerCreated> {
    const { hints, ...rest } = options;
    const minMicroversion = requiredMicroversion(server);
    const created = await this.#api.post(CreatedEnvelope, '/servers', {
      ...rest,
      ...(minMicroversion !== undefined && { minMicroversion }),
      body: { server, ...(hints !== undefined && { 'os:scheduler_hints': hints }) },
    });
    return created.server;
  }

  /** `DELETE /servers/{server_id}`; done when a GET returns 404. */
  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.#api.send('DELETE', '/servers/{server_id}', { ...options, params: { server_id: id } });
  }

  /**
   * The action `forceDelete`: does not wait out the time for which Nova keeps deleted servers
   * (`reclaim_instance_interval`). A separate policy applies.
   */
  async forceDelete(id: string, options: CallOptions = {}): Promise<void> {
    await this.#act(id, { forceDelete: null }, options);
  }

  /** `PUT /servers/{server_id}` with a new name. */
  async rename(id: string, name: string, options: CallOptions = {}): Promise<Server> {
    const call = { ...options, params: { server_id: id }, body: { server: { name } }, idempotent: true };
    return (await this.#api.put(ServerEnvelope, '/servers/{server_id}', call)).server;
  }

  /**
   * `POST /servers/{server_id}/action` `rebuild`: same server, ports and addresses, new root disk; allowed in ACTIVE,
   * SHUTOFF and ERROR. A server in SHUTOFF stays shut off. `metadata` replaces all entries; `user_data` needs
   * 2.57, servers that boot from a volume need 2.93. Returns while the status is REBUILD.
   */
  async rebuild(id: string, rebuild: ServerRebuild, options: ServerRebuildOptions = {}): Promise<void> {
    const { isVolumeBacked, ...rest } = options;
    const minMicroversion = isVolumeBacked ? REIMAGE_MICROVERSION : 'user_data' in rebuild ? '2.57' : undefined;
    await this.#act(id, { rebuild }, { ...rest, ...(minMicroversion !== undefined && { minMicroversion }) });
  }

  /** `POST /servers/{server_id}/action` `reboot`. */
  async reboot(id: string, type: 'SOFT' | 'HARD', options: CallOptions = {}): Promise<void> {
    await this.#act(id, { reboot: { type } }, options);
  }

  /** `POST /servers/{server_id}/action` `os-start`: from SHUTOFF. */
  async start(id: string, options: CallOptions = {}): Promise<void> {
    await this.#act(id, { 'os-start': null }, options);
  }

  /** `POST /servers/{server_id}/action` `os-stop`: from ACTIVE or ERROR. */
  async stop(id: string, options: CallOptions = {}): Promise<void> {
    await this.#act(id, { 'os-stop': null }, options);
  }

  /** `POST /servers/{server_id}/action` `os-getConsoleOutput`: the last `lines` lines of the serial console. */
  async consoleLog(id: string, lines?: number, options: CallOptions = {}): Promise<string> {
    const response = await this.#api.post(Output, '/servers/{server_id}/action', {
      ...options,
      params: { server_id: id },
      body: { 'os-getConsoleOutput': lines === undefined ? {} : { length: lines } },
      idempotent: true,
    });
    return response.output;
  }

  /** `PUT /servers/{server_id}/tags`, replaces all tags; 2.26. */
  async setTags(id: string, tags: readonly string[], options: CallOptions = {}): Promise<readonly string[]> {
    const response = await this.#api.put(Tags, '/servers/{server_id}/tags', {
      ...options,
      params: { server_id: id },
      body: { tags },
      idempotent: true,
      minMicroversion: '2.26',
    });
    return response.tags;
  }

  /** `PUT /servers/{server_id}/tags/{tag}`: adds a tag and keeps the others; 2.26. */
  async addTag(id: string, tag: string, options: CallOptions = {}): Promise<void> {
    await this.#sendTag('PUT', id, tag, options);
  }

  /** `DELETE /servers/{server_id}/tags/{tag}`; 2.26. */
  async removeTag(id: string, tag: string, options: CallOptions = {}): Promise<void> {
    await this.#sendTag('DELETE', id, tag, options);
  }

  async #sendTag(method: 'PUT' | 'DELETE', id: string, tag: string, options: CallOptions): Promise<void> {
    const call = { ...options, params: { server_id: id, tag }, minMicroversion: '2.26' };
    await this.#api.send(method, '/servers/{server_id}/tags/{tag}', { ...call, idempotent: true });
  }

  /** `PUT /servers/{server_id}/metadata`, replaces all metadata. */
  async setMetadata(
    id: string,
    metadata: Readonly<Record<string, string>>,
    options: CallOptions = {},
  ): Promise<Readonly<Record<string, string>>> {
    const call = { ...options, params: { server_id: id }, body: { metadata }, idempotent: true };
    return (await this.#api.put(Metadata, '/servers/{server_id}/metadata', call)).metadata;
  }

  /** `POST /servers/{server_id}/metadata`: sets these keys and keeps the others. */
  async mergeMetadata(
    id: string,
    metadata: Readonly<Record<string, string>>,
    options: CallOptions = {},
  ): Promise<Readonly<Record<string, string>>> {
    const call = { ...options, params: { server_id: id }, body: { metadata }, idempotent: true };
    return (await this.#api.post(Metadata, '/servers/{server_id}/metadata', call)).metadata;
  }

  /** `DELETE /servers/{server_id}/metadata/{key}`. */
  async deleteMetadata(id: string, key: string, options: CallOptions = {}): Promise<void> {
    const params = { server_id: id, key };
    await this.#api.send('DELETE', '/servers/{server_id}/metadata/{key}', { ...options, params });
  }

  /** `GET /servers/{server_id}/os-interface`. */
  async interfaces(id: string, options: CallOptions = {}): Promise<readonly InterfaceAttachment[]> {
    const call = { ...options, params: { server_id: id } };
    return (await this.#api.get(AttachmentList, '/servers/{server_id}/os-interface', call)).interfaceAttachments;
  }

  /** `POST /servers/{server_id}/os-interface`: attaches an existing port, or one that Nova creates in a network. */
  async attachInterface(
    id: string,
    network: Pick<ServerNetwork, 'port'> | { readonly uuid: string; readonly fixed_ip?: string },
    options: CallOptions = {},
  ): Promise<InterfaceAttachment> {
    const interfaceAttachment =
      'uuid' in network
        ? { net_id: network.uuid, ...(network.fixed_ip && { fixed_ips: [{ ip_address: network.fixed_ip }] }) }
        : { port_id: network.port };
    const call = { ...options, params: { server_id: id }, body: { interfaceAttachment } };
    return (await this.#api.post(AttachmentEnvelope, '/servers/{server_id}/os-interface', call)).interfaceAttachment;
  }

  /** `DELETE /servers/{server_id}/os-interface/{port_id}`: detaches the port, and deletes it if Nova created it. */
  async detachInterface(id: string, portId: string, options: CallOptions = {}): Promise<void> {
    const params = { server_id: id, port_id: portId };
    await this.#api.send('DELETE', '/servers/{server_id}/os-interface/{port_id}', { ...options, params });
  }

  /**
   * `POST /servers/{server_id}/os-volume_attachments`: returns while Cinder reports `attaching`, with the device
   * requested for the guest. A volume that is already attached is refused with `badRequest`; multiattach volumes need
   * 2.60.
   */
  async attachVolume(id: string, volumeId: string, options: CallOptions = {}): Promise<VolumeDevice> {
    const call = { ...options, params: { server_id: id }, body: { volumeAttachment: { volumeId } } };
    return (await this.#api.post(VolumeEnvelope, '/servers/{server_id}/os-volume_attachments', call)).volumeAttachment;
  }

  /** `DELETE /servers/{server_id}/os-volume_attachments/{volume_id}`: returns while Cinder reports `detaching`. */
  async detachVolume(id: string, volumeId: string, options: CallOptions = {}): Promise<void> {
    const params = { server_id: id, volume_id: volumeId };
    await this.#api.send('DELETE', '/servers/{server_id}/os-volume_attachments/{volume_id}', { ...options, params });
  }

  async #act(id: string, action: object, options: CallOptions & { readonly minMicroversion?: string }): Promise<void> {
    await this.#api.send('POST', '/servers/{server_id}/action', {
      ...options,
      params: { server_id: id },
      body: action,
    });
  }
}

function requiredMicroversion(server: ServerCreate): string | undefined {
  if (server.hostname !== undefined) return '2.90';
  if (server.block_device_mapping_v2?.some((device) => device.volume_type !== undefined)) return '2.67';
  if (server.tags !== undefined) return '2.52';
  if (typeof server.networks === 'string') return '2.37';
  return server.description == null ? undefined : '2.19';
}
