import { cidrSet } from '@fairway/control-plane/process/egress/special-addresses';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { Subnet } from '@fairway/openstack/types/network';
import type { LoadBalancerScope } from './load-balancer-scope.ts';
import type { Family } from './load-balancer-spec.ts';

/** The immutable fields of a subnet. */
export interface KnownSubnet {
  readonly id: string;
  readonly family: Family;
  readonly networkID: string;
  readonly contains: (address: string) => boolean;
}

/** Limit for all projects together; the cache is cleared when it is exceeded. */
const MAX_CACHE_ENTRIES = 10_000;

/** Subnets by ID, each requested once. */
export class KnownSubnets {
  readonly #cached = new Map<string, KnownSubnet>();

  /** Undefined if the subnet is not visible to the project. */
  async get({ cloud, projectID, signal }: LoadBalancerScope, id: string): Promise<KnownSubnet | undefined> {
    const key = `${projectID} ${id}`;
    const known = this.#cached.get(key);
    if (known) return known;
    try {
      const found = knownSubnet(await cloud.client.network.subnets.get(id, { signal }));
      if (this.#cached.size >= MAX_CACHE_ENTRIES) this.#cached.clear();
      this.#cached.set(key, found);
      return found;
    } catch (error) {
      if (isOpenStackError(error, 'notFound')) return undefined;
      throw error;
    }
  }

  /** The visible subnets among those with these IDs. */
  async all(scope: LoadBalancerScope, ids: Iterable<string | undefined>): Promise<readonly KnownSubnet[]> {
    const found: KnownSubnet[] = [];
    for (const id of new Set(ids)) {
      const subnet = id === undefined ? undefined : await this.get(scope, id);
      if (subnet) found.push(subnet);
    }
    return found;
  }
}

export function knownSubnet({ id, ip_version: family, network_id: networkID, cidr }: Subnet): KnownSubnet {
  return { id, family, networkID, contains: cidrSet([cidr]) };
}
