import { z } from 'zod';
import { compareMicroversions } from '../microversion.ts';
import type { CallOptions, ServiceApi } from '../service-api.ts';
import { list } from '../types/collections.ts';
import { ComputeAvailabilityZone, ComputeLimits, ComputeQuotaSet, KeyPair } from '../types/compute.ts';
import { Flavors } from './flavors.ts';
import { ServerGroups } from './server-groups.ts';
import { Servers } from './servers.ts';

/** Used if the service supports it (Zed): rebuilds servers that boot from a volume; includes all older features. */
export const COMPUTE_MICROVERSION = '2.93';

const ZoneList = z.object({ availabilityZoneInfo: list(ComputeAvailabilityZone) });
const LimitsEnvelope = z.object({ limits: z.object({ absolute: ComputeLimits }) });
const QuotaEnvelope = z.object({ quota_set: ComputeQuotaSet });
const KeyPairEnvelope = z.object({ keypair: KeyPair });
const KeyPairList = z.object({ keypairs: list(KeyPairEnvelope) });

/** https://docs.openstack.org/api-ref/compute/ */
export class Compute {
  readonly servers: Servers;
  readonly flavors: Flavors;
  readonly serverGroups: ServerGroups;
  readonly #api: ServiceApi;

  constructor(api: ServiceApi) {
    this.#api = api;
    this.servers = new Servers(api);
    this.flavors = new Flavors(api);
    this.serverGroups = new ServerGroups(api);
  }

  /**
   * The microversion in use: {@link COMPUTE_MICROVERSION} or the one in clouds.yaml if the service supports it,
   * otherwise the service's newest.
   */
  microversion(): Promise<string | undefined> {
    return this.#api.microversion();
  }

  /** Whether the microversion in use includes this one. */
  async supports(microversion: string): Promise<boolean> {
    const negotiated = await this.microversion();
    return negotiated !== undefined && compareMicroversions(microversion, negotiated) <= 0;
  }

  /** `GET /os-availability-zone`. */
  async availabilityZones(options: CallOptions = {}): Promise<readonly ComputeAvailabilityZone[]> {
    return (await this.#api.get(ZoneList, '/os-availability-zone', options)).availabilityZoneInfo;
  }

  /** `GET /limits`: the project's limits and usage. */
  async limits(options: CallOptions = {}): Promise<ComputeLimits> {
    return (await this.#api.get(LimitsEnvelope, '/limits', options)).limits.absolute;
  }

  /** `GET /os-quota-sets/{project_id}`; defaults to the session's project. */
  async quotaSet(projectId?: string, options: CallOptions = {}): Promise<ComputeQuotaSet> {
    const params = { project_id: projectId ?? (await this.#api.projectId()) };
    return (await this.#api.get(QuotaEnvelope, '/os-quota-sets/{project_id}', { ...options, params })).quota_set;
  }

  /** `GET /os-keypairs`: the user's key pairs. */
  async keyPairs(options: CallOptions = {}): Promise<readonly KeyPair[]> {
    return (await this.#api.get(KeyPairList, '/os-keypairs', options)).keypairs.map((item) => item.keypair);
  }

  /** `GET /os-keypairs/{keypair_name}`. */
  async keyPair(name: string, options: CallOptions = {}): Promise<KeyPair> {
    const call = { ...options, params: { keypair_name: name } };
    return (await this.#api.get(KeyPairEnvelope, '/os-keypairs/{keypair_name}', call)).keypair;
  }

  /** `POST /os-keypairs` with a public key. */
  async createKeyPair(name: string, publicKey: string, options: CallOptions = {}): Promise<KeyPair> {
    const call = { ...options, body: { keypair: { name, public_key: publicKey, type: 'ssh' } } };
    return (await this.#api.post(KeyPairEnvelope, '/os-keypairs', call)).keypair;
  }

  /** `DELETE /os-keypairs/{keypair_name}`. */
  async deleteKeyPair(name: string, options: CallOptions = {}): Promise<void> {
    await this.#api.send('DELETE', '/os-keypairs/{keypair_name}', { ...options, params: { keypair_name: name } });
  }
}
