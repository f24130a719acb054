import { z } from 'zod';
import type { CallOptions, ServiceApi } from '../service-api.ts';
import { list } from '../types/collections.ts';
import { ShareMessage, ShareNetwork, ShareType, ShareZone } from '../types/shared-file-system.ts';
import { AccessRules } from './access-rules.ts';
import { Shares } from './shares.ts';

/** Used if the service supports it (Rocky): metadata of access rules, and user messages. */
export const SHARED_FILE_SYSTEM_MICROVERSION = '2.45';

const TypeList = z.object({ share_types: list(ShareType) });
const ZoneList = z.object({ availability_zones: list(ShareZone) });
const NetworkEnvelope = z.object({ share_network: ShareNetwork });
const MessageList = z.object({ messages: list(ShareMessage) });

/** https://docs.openstack.org/api-ref/shared-file-system/ */
export class SharedFileSystem {
  readonly shares: Shares;
  readonly accessRules: AccessRules;
  readonly #api: ServiceApi;

  constructor(api: ServiceApi) {
    this.#api = api;
    this.shares = new Shares(api);
    this.accessRules = new AccessRules(api);
  }

  /** `GET /types`: public types and those that the project has access to; clouds have only a few. */
  async shareTypes(options: CallOptions = {}): Promise<readonly ShareType[]> {
    return (await this.#api.get(TypeList, '/types', options)).share_types;
  }

  /** `GET /availability-zones`. */
  async availabilityZones(options: CallOptions = {}): Promise<readonly ShareZone[]> {
    return (await this.#api.get(ZoneList, '/availability-zones', options)).availability_zones;
  }

  /** `GET /share-networks/{share_network_id}`; administrators can read share networks of every project. */
  async shareNetwork(id: string, options: CallOptions = {}): Promise<ShareNetwork> {
    const call = { ...options, params: { share_network_id: id } };
    return (await this.#api.get(NetworkEnvelope, '/share-networks/{share_network_id}', call)).share_network;
  }

  /** `GET /messages`: Manila's messages about a share, newest first. */
  async messages(shareId: string, options: CallOptions = {}): Promise<readonly ShareMessage[]> {
    const query = { resource_id: shareId, limit: 10 };
    return (await this.#api.get(MessageList, '/messages', { ...options, query })).messages;
  }
}
