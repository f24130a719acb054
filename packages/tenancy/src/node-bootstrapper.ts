import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Flavor } from '@fairway/openstack/types/compute';

/** Makes what a server boots from. */
export interface NodeBootstrapper {
  /**
   * Cloud-init for the machine's server, in base64, with a bootstrap token that is in the tenant's cluster when this resolves. The same machine
   * always gets the same token, so that a repeated call leaves nothing behind.
   */
  userData(cluster: Cluster, pool: NodePool, machine: Machine, flavor: Flavor): Promise<string>;
  /** Public half of the machine's token: the request for its first certificate comes from the user `system:bootstrap:ID`. */
  tokenID(cluster: Cluster, machine: Machine): Promise<string>;
  /** Takes the token back; the machine has joined, or is going. */
  revoke(cluster: Cluster, machine: Machine): Promise<void>;
}
