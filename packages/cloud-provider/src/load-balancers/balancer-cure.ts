import type { Attempts } from '@fairway/kube/controller/attempts';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import type { BalancerScope } from './balancer-scope.ts';
import { deleteBalancer } from './change-tree.ts';
import type { TreeMemory } from './tree-memory.ts';

const CURE = 'cure of load balancer';
/** One that has been well for so long is a new patient when it fails again. */
const CURED_AFTER_MS = 600_000;

interface Patient {
  readonly loadBalancerID: string;
  /** Since when it has been ACTIVE. */
  activeSinceMs: number | undefined;
  isFailoverTried: boolean;
}

/**
 * What is done for load balancers in ERROR. One that has never worked is deleted, so that another one is made. One that has is failed over, which keeps its
 * address; if the cloud does not let the tenant do that, or it does not help, it is made anew, and only a floating IP stays. Each try waits longer.
 */
export class BalancerCure {
  readonly #attempts: Attempts;
  readonly #memory: TreeMemory;
  readonly #patients = new Map<string, Patient>();

  constructor(attempts: Attempts, memory: TreeMemory) {
    this.#attempts = attempts;
    this.#memory = memory;
  }

  /** Does the next thing for one in ERROR. Always rejects: it is not well yet. */
  async treat(scope: BalancerScope, { id }: LoadBalancer, hasWorked: boolean): Promise<never> {
    const { key } = scope;
    const known = this.#patients.get(key);
    const patient: Patient =
      known?.loadBalancerID === id
        ? known
        : { loadBalancerID: id, activeSinceMs: undefined, isFailoverTried: !hasWorked };
    this.#patients.set(key, patient);
    patient.activeSinceMs = undefined;
    return this.#attempts.make({ kind: CURE, item: key }, async () => {
      if (!patient.isFailoverTried) {
        patient.isFailoverTried = true;
        if (await this.#failOver(scope, id)) throw broken(`load balancer ${id} is in ERROR; it is being failed over`);
      }
      await deleteBalancer(scope, id, this.#memory);
      throw broken(
        hasWorked
          ? `load balancer ${id} is in ERROR; another one is made in its place, and a floating IP moves to it`
          : `Octavia could not make the load balancer: it ended in ERROR, and another one is tried`,
      );
    });
  }

  /** It is ACTIVE. */
  isWell(key: string, nowMs: number): void {
    const patient = this.#patients.get(key);
    if (patient === undefined) return;
    patient.activeSinceMs ??= nowMs;
    if (nowMs - patient.activeSinceMs >= CURED_AFTER_MS) this.forget(key);
  }

  forget(key: string): void {
    if (this.#patients.delete(key)) this.#attempts.forget(key);
  }

  /** Resolves with false where the cloud does not allow or know it. */
  async #failOver({ cloud, key, signal }: BalancerScope, id: string): Promise<boolean> {
    try {
      await cloud.client.loadBalancing.loadBalancers.failover(id, { signal });
    } catch (error) {
      const isImpossible = isOpenStackError(error, 'forbidden') || isOpenStackError(error, 'badRequest');
      if (isImpossible || (isOpenStackError(error) && error.status === 501)) return false;
      throw error;
    }
    cloud.cache.loadBalancers.invalidate();
    this.#memory.forget(key);
    return true;
  }
}

function broken(message: string): ProblemError {
  return new ProblemError({ reason: 'CloudUnavailable', message });
}
