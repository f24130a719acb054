import { RecentMap } from '@fairway/base/recent-map';
import { ignoreNotFound } from '@fairway/openstack/http/openstack-error';
import type { Network } from '@fairway/openstack/types/network';
import { isOfProject } from '@fairway/tenancy/cloud/ownership';
import { ANNOTATION } from './annotation-names.ts';
import type { LoadBalancerSpec } from './load-balancer-spec.ts';
import { ServiceRefused } from './service-refused.ts';
import type { PresentServiceScope } from './service-scope.ts';

type Scope = Pick<PresentServiceScope, 'cloud' | 'projectID' | 'service' | 'signal'>;

/** Limit for all projects together; older entries are checked again. */
const MAX_CACHE_ENTRIES = 10_000;

/**
 * Checks that a Service refers only to ports, subnets and networks that its project may use. An administrator's
 * credentials have access to those of every project, so the cloud would accept any. The operator's settings are not
 * checked.
 */
export class NetworkOwnership {
  readonly #cached = new RecentMap<true>(MAX_CACHE_ENTRIES);

  /**
   * Throws ServiceRefused for a resource of another project; rejects with the cloud's error. Missing resources are not
   * checked, because Octavia rejects them.
   */
  async require(
    scope: Scope,
    { vip, memberSubnetID }: Pick<LoadBalancerSpec, 'vip' | 'memberSubnetID'>,
  ): Promise<void> {
    const { ports, subnets, networks } = scope.cloud.client.network;
    const { signal } = scope;
    await this.#check(scope, 'portID', 'port', vip.portID, async (id) => {
      const port = await ignoreNotFound(ports.get(id, { signal }));
      return port === undefined || isOfProject(port, scope.projectID);
    });
    const canUseNetwork = async (id: string) => {
      const network = await ignoreNotFound(networks.get(id, { signal }));
      return network === undefined || isForProject(network, scope.projectID);
    };
    const canUseSubnet = async (id: string) => {
      const subnet = await ignoreNotFound(subnets.get(id, { signal }));
      return subnet === undefined || isOfProject(subnet, scope.projectID) || canUseNetwork(subnet.network_id);
    };
    await this.#check(scope, 'networkID', 'network', vip.networkID, canUseNetwork);
    await this.#check(scope, 'subnetID', 'subnet', vip.subnetID, canUseSubnet);
    await this.#check(scope, 'memberSubnetID', 'subnet', memberSubnetID, canUseSubnet);
  }

  async #check(
    { projectID, service }: Scope,
    name: 'portID' | 'networkID' | 'subnetID' | 'memberSubnetID',
    noun: string,
    id: string | undefined,
    canUse: (id: string) => Promise<boolean>,
  ): Promise<void> {
    const annotation = ANNOTATION[name];
    if (id === undefined || service.metadata.annotations?.[annotation]?.trim() !== id) return;
    const key = `${projectID} ${noun} ${id}`;
    if (this.#cached.get(key)) return;
    if (!(await canUse(id))) {
      // Same message as for a missing resource, so as not to reveal other projects' resources.
      throw new ServiceRefused(`annotation ${annotation}: ${noun} ${id} is not visible to this project`);
    }
    this.#cached.set(key, true);
  }
}

function isForProject(network: Network, projectID: string): boolean {
  return network.shared || network['router:external'] || isOfProject(network, projectID);
}
