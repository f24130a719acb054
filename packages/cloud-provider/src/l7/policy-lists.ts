import type { L7Policy } from '@fairway/openstack/types/l7-policy';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { objectsOfOwner } from '@fairway/tenancy/cloud/load-balancers';
import type { LoadBalancerScope } from '../load-balancers/load-balancer-scope.ts';
import type { TreeMemory } from '../load-balancers/tree-memory.ts';

/**
 * Tracks how recent a list of L7 policies must be: changing one policy moves others, so they are listed again after
 * this process changes one.
 */
export class PolicyLists {
  readonly #memory: TreeMemory;
  readonly #changedMs = new Map<string, number>();

  constructor(memory: TreeMemory) {
    this.#memory = memory;
  }

  changed({ key, cloud }: LoadBalancerScope): void {
    this.#changedMs.set(key, cloud.now());
  }

  /** In order of precedence. */
  async observe(scope: LoadBalancerScope, loadBalancer: LoadBalancer): Promise<readonly L7Policy[]> {
    const { cloud, key, owner, projectID, signal } = scope;
    const { listedAtMs = 0 } = cloud.cache.loadBalancers.snapshot();
    const partsFromMs = this.#memory.partsFromMs(key, loadBalancer, listedAtMs) ?? Number.NEGATIVE_INFINITY;
    const fromMs = Math.max(partsFromMs, this.#changedMs.get(key) ?? Number.NEGATIVE_INFINITY);
    const listed = await cloud.cache.l7Policies.refreshAfter(fromMs, signal);
    const all = objectsOfOwner(listed, projectID, owner).filter((policy) => !isDeleting(policy));
    return all.toSorted((a, b) => a.position - b.position);
  }

  forget(key: string): void {
    this.#changedMs.delete(key);
  }
}

/**
 * A policy that is being deleted is ignored: the list is read again before the load balancer is ACTIVE, and nothing
 * changes in between.
 */
function isDeleting({ provisioning_status: state }: L7Policy): boolean {
  return state === 'PENDING_DELETE' || state === 'DELETED';
}
