import type { Attempts } from '@fairway/kube/controller/attempts';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { deleteLoadBalancer } from './change-tree.ts';
import type { LoadBalancerScope } from './load-balancer-scope.ts';
import type { TreeMemory } from './tree-memory.ts';

const RECOVERY_KIND = 'cure of load balancer';
/** If a load balancer fails after it has been ACTIVE for this long, recovery starts over with a failover. */
const RECOVERED_AFTER_MS = 600_000;

interface FailedLoadBalancer {
  readonly loadBalancerID: string;
  /** When the load balancer became ACTIVE. */
  activeSinceMs: number | undefined;
  hasFailedOver: boolean;
}

/**
 * Recovers load balancers in ERROR. A load balancer that never worked is deleted and recreated. Others are failed over,
 * which preserves the address. If the cloud does not allow failovers or they do not help, the load balancer is
 * recreated, and only a floating IP is preserved. Attempts back off.
 */
export class LoadBalancerRecovery {
  readonly #attempts: Attempts;
  readonly #memory: TreeMemory;
  readonly #failures = new Map<string, FailedLoadBalancer>();

  constructor(attempts: Attempts, memory: TreeMemory) {
    this.#attempts = attempts;
    this.#memory = memory;
  }

  /** Takes the next recovery step. Always rejects, as the load balancer has not recovered yet. */
  async recoverFromError(scope: LoadBalancerScope, { id }: LoadBalancer, wasServed: boolean): Promise<never> {
    const { key } = scope;
    const known = this.#failures.get(key);
    const failure: FailedLoadBalancer =
      known?.loadBalancerID === id
        ? known
        : { loadBalancerID: id, activeSinceMs: undefined, hasFailedOver: !wasServed };
    this.#failures.set(key, failure);
    failure.activeSinceMs = undefined;
    return this.#attempts.withBackoff({ kind: RECOVERY_KIND, item: key }, async () => {
      if (!failure.hasFailedOver) {
        failure.hasFailedOver = true;
        if (await this.#failOver(scope, id))
          throw errorState(`load balancer ${id} is in ERROR; it is being failed over`);
      }
      await deleteLoadBalancer(scope, id, this.#memory);
      throw errorState(
        wasServed
          ? `load balancer ${id} is in ERROR; it is being replaced, and its floating IP moves to the new one`
          : `Octavia failed to create the load balancer: it ended in ERROR, and creation is being retried`,
      );
    });
  }

  /** Records that the load balancer is ACTIVE. */
  recordHealthy(key: string, nowMs: number): void {
    const failure = this.#failures.get(key);
    if (failure === undefined) return;
    failure.activeSinceMs ??= nowMs;
    if (nowMs - failure.activeSinceMs >= RECOVERED_AFTER_MS) this.forget(key);
  }

  forget(key: string): void {
    if (this.#failures.delete(key)) this.#attempts.forget(key);
  }

  /** Resolves with false if the cloud does not allow or support failovers. */
  async #failOver({ cloud, key, signal }: LoadBalancerScope, id: string): Promise<boolean> {
    try {
      await cloud.client.loadBalancing.loadBalancers.failover(id, { signal });
    } catch (error) {
      const isPermanent = isOpenStackError(error, 'forbidden') || isOpenStackError(error, 'badRequest');
      if (isPermanent || (isOpenStackError(error) && error.status === 501)) return false;
      throw error;
    }
    cloud.cache.loadBalancers.invalidate();
    this.#memory.forget(key);
    return true;
  }
}

function errorState(message: string): ProblemError {
  return new ProblemError({ reason: 'CloudUnavailable', message });
}
