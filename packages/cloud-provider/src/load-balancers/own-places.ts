import { RecentMap } from '@fairway/base/recent-map';
import { ignoreNotFound } from '@fairway/openstack/http/openstack-error';
import type { Network } from '@fairway/openstack/types/network';
import { isOfProject } from '@fairway/tenancy/cloud/ownership';
import { ANNOTATION } from './annotation-names.ts';
import type { LoadBalancerSpec } from './load-balancer-spec.ts';
import { ServiceRefused } from './service-refused.ts';
import type { PresentServiceScope } from './service-scope.ts';

type Scope = Pick<PresentServiceScope, 'cloud' | 'projectID' | 'service' | 'signal'>;

/** In all projects; older ones are checked again. */
const MAX_KNOWN = 10_000;

/**
 * Checks that a Service refers only to ports, subnets and networks that its project may use. An administrator's credential may use those of every project, so
 * the cloud would accept any. The operator's settings are not checked.
 */
export class OwnPlaces {
  readonly #known = new RecentMap<true>(MAX_KNOWN);

  /** Throws ServiceRefused for a resource of another project; rejects with the cloud's error. Missing resources are left for Octavia to reject. */
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
    const mayUseNetwork = async (id: string) => {
      const network = await ignoreNotFound(networks.get(id, { signal }));
      return network === undefined || isForProject(network, scope.projectID);
    };
    const mayUseSubnet = async (id: string) => {
      const subnet = await ignoreNotFound(subnets.get(id, { signal }));
      return subnet === undefined || isOfProject(subnet, scope.projectID) || mayUseNetwork(subnet.network_id);
    };
    await this.#check(scope, 'networkID', 'network', vip.networkID, mayUseNetwork);
    await this.#check(scope, 'subnetID', 'subnet', vip.subnetID, mayUseSubnet);
    await this.#check(scope, 'memberSubnetID', 'subnet', memberSubnetID, mayUseSubnet);
  }

  async #check(
    { projectID, service }: Scope,
    name: 'portID' | 'networkID' | 'subnetID' | 'memberSubnetID',
    noun: string,
    id: string | undefined,
    mayUse: (id: string) => Promise<boolean>,
  ): Promise<void> {
    const annotation = ANNOTATION[name];
    if (id === undefined || service.metadata.annotations?.[annotation]?.trim() !== id) return;
    const key = `${projectID} ${noun} ${id}`;
    if (this.#known.get(key)) return;
    if (!(await mayUse(id))) {
      // Same message as for a missing one, so as not to reveal other projects' resources.
      throw new ServiceRefused(`annotation ${annotation}: ${noun} ${id} is not visible to this project`);
    }
    this.#known.set(key, true);
  }
}

function isForProject(network: Network, projectID: string): boolean {
  return network.shared || network['router:external'] || isOfProject(network, projectID);
}
