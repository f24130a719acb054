import type { CallOptions, ServiceApi } from '../service-api.ts';
import { LoadBalancer, type LoadBalancerCreate } from '../types/load-balancer.ts';
import { CreatedTree, type LoadBalancerTree, treeOf } from './created-tree.ts';
import { OctaviaCollection } from './octavia-collection.ts';

type LoadBalancerUpdate = Partial<Pick<LoadBalancerCreate, 'name' | 'description' | 'tags'>>;

/** https://docs.openstack.org/api-ref/load-balancer/v2/#load-balancers */
export class LoadBalancers extends OctaviaCollection<LoadBalancer, LoadBalancerCreate, LoadBalancerUpdate> {
  constructor(api: ServiceApi) {
    super(api, { plural: 'loadbalancers', singular: 'loadbalancer' }, LoadBalancer);
  }

  /** `POST /lbaas/loadbalancers`, fully populated: creates the whole tree in one call. */
  async createTree(item: LoadBalancerCreate, options: CallOptions = {}): Promise<LoadBalancerTree> {
    const call = { ...options, body: { loadbalancer: item } };
    return treeOf(await this.api.post(CreatedTree, '/lbaas/loadbalancers', call));
  }

  /** `DELETE /lbaas/loadbalancers/{id}?cascade=true`: deletes the whole tree. `conflict` while it is pending. */
  async deleteCascade(id: string, options: CallOptions = {}): Promise<void> {
    await this.api.send('DELETE', this.itemPath, { ...options, params: { id }, query: { cascade: true } });
  }

  /**
   * `PUT /lbaas/loadbalancers/{id}/failover`: replaces its amphorae; the only way to repair one in ERROR without
   * changing its address.
   */
  async failover(id: string, options: CallOptions = {}): Promise<void> {
    await this.api.send('PUT', `${this.itemPath}/failover`, { ...options, params: { id } });
  }
}
