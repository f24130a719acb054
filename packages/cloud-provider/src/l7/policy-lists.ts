import type { L7Policy } from '@fairway/openstack/types/l7-policy';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { ofOwner } from '@fairway/tenancy/cloud/balancing';
import type { BalancerScope } from '../load-balancers/balancer-scope.ts';
import type { TreeMemory } from '../load-balancers/tree-memory.ts';

/** Since when lists of L7 policies must have begun: a change of one moves others, so what this process has changed is listed again. */
export class PolicyLists {
  readonly #memory: TreeMemory;
  readonly #changedMs = new Map<string, number>();

  constructor(memory: TreeMemory) {
    this.#memory = memory;
  }

  changed({ key, cloud }: BalancerScope): void {
    this.#changedMs.set(key, cloud.now());
  }

  /** In the order in which they count. */
  async see(scope: BalancerScope, loadBalancer: LoadBalancer): Promise<readonly L7Policy[]> {
    const { cloud, key, owner, projectID, signal } = scope;
    const { listedAtMs = 0 } = cloud.cache.loadBalancers.snapshot();
    const partsFromMs = this.#memory.partsFromMs(key, loadBalancer, listedAtMs) ?? Number.NEGATIVE_INFINITY;
    const fromMs = Math.max(partsFromMs, this.#changedMs.get(key) ?? Number.NEGATIVE_INFINITY);
    const listed = await cloud.cache.l7Policies.refreshAfter(fromMs, signal);
    const all = ofOwner(listed, projectID, owner).filter((policy) => !isGoing(policy));
    return all.toSorted((a, b) => a.position - b.position);
  }

  forget(key: string): void {
    this.#changedMs.delete(key);
  }
}

/** So it is listed until the load balancer is ACTIVE again, and nothing of it changes in between. */
function isGoing({ provisioning_status: state }: L7Policy): boolean {
  return state === 'PENDING_DELETE' || state === 'DELETED';
}
