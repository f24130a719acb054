import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { AdditionalInterface } from '@fairway/control-plane/bootstrap/additional-interfaces';
import type { Flavor } from '@fairway/openstack/types/compute';

/** A server's size according to Nova's flavor: memory in MiB, disk in GiB. */
export type ServerSize = Pick<Flavor, 'vcpus' | 'ram' | 'disk'>;

/** Creates the user data for a server. */
export interface NodeBootstrapper {
  /**
   * Cloud-init for the machine's server, in base64, with a bootstrap token that exists in the tenant's cluster when
   * this resolves. A machine gets the same token until its server is reinstalled (`status.reinstall`), so a retry
   * leaves nothing behind. `interfaces` are those in the server's additional networks; none by default.
   */
  userData(
    cluster: Cluster,
    pool: NodePool,
    machine: Machine,
    size: ServerSize,
    interfaces?: readonly AdditionalInterface[],
  ): Promise<string>;
  /**
   * Public half of the machine's token: the request for the node's first certificate comes from the user
   * `system:bootstrap:ID`.
   */
  tokenID(cluster: Cluster, machine: Machine): Promise<string>;
  /** Deletes the token, because the machine has joined or is being deleted. */
  revoke(cluster: Cluster, machine: Machine): Promise<void>;
}
