import type { Timer } from '@fairway/base/clock';
import { type LifecycleStep, pickDurationMs } from '../http/latency.ts';
import type { World } from '../world.ts';
import { providerOf } from './provider.ts';
import type { LoadBalancer, PendingStep, PendingWork, ProvisioningStatus } from './records.ts';
import { settle } from './settle.ts';

/** Delay before the next attempt if the outcome could not be saved. */
const RETRY_MS = 1000;

const STEP_LATENCIES: Readonly<Record<PendingStep, LifecycleStep>> = {
  create: 'loadBalancerCreate',
  update: 'loadBalancerUpdate',
  delete: 'loadBalancerDelete',
  failover: 'loadBalancerFailover',
};

const PENDING_STATUSES: Readonly<Record<PendingStep, ProvisioningStatus>> = {
  create: 'PENDING_CREATE',
  update: 'PENDING_UPDATE',
  delete: 'PENDING_DELETE',
  failover: 'PENDING_UPDATE',
};

/**
 * Simulates the asynchronous work of providers on the cloud's clock, with one operation at a time per load balancer.
 */
export class LoadBalancerLifecycle {
  readonly #world: World;
  readonly #timers = new Map<string, Timer>();
  #isClosed = false;

  constructor(world: World) {
    this.#world = world;
  }

  /** Resumes the work that is pending in the saved state. */
  resume(): void {
    this.#cancelAll();
    for (const loadBalancer of this.#world.tables.loadBalancers.values()) this.#arm(loadBalancer);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelAll();
  }

  /** Stores the load balancer, which is immutable until `step` is complete. */
  begin(loadBalancer: LoadBalancer, step: PendingStep): LoadBalancer {
    const { clock, random, config, database, tables } = this.#world;
    const time = providerOf(this.#world, loadBalancer).bootsMachines ? STEP_LATENCIES[step] : 'loadBalancerUpdate';
    const dueMs = clock.now() + pickDurationMs(config.latency.lifecycle[time], random);
    const row = tables.loadBalancers.put({
      ...loadBalancer,
      provisioning_status: PENDING_STATUSES[step],
      pending: { step, dueMs },
    });
    database.afterCommit(() => this.#arm(row));
    return row;
  }

  #cancelAll(): void {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }

  #arm({ id, pending }: LoadBalancer): void {
    this.#timers.get(id)?.cancel();
    this.#timers.delete(id);
    if (pending !== null && !this.#isClosed) this.#wait(id, pending, pending.dueMs);
  }

  #wait(id: string, pending: PendingWork, dueMs: number): void {
    const { clock, database, log } = this.#world;
    const timer = clock.after(Math.max(dueMs - clock.now(), 0), () => {
      this.#timers.delete(id);
      try {
        database.transact(() => this.#finish(id, pending));
      } catch (error) {
        log.error({ err: error, loadBalancer: id, step: pending.step }, 'work on a simulated load balancer failed');
        this.#wait(id, pending, clock.now() + RETRY_MS);
      }
    });
    this.#timers.set(id, timer);
  }

  #finish(id: string, pending: PendingWork): void {
    const loadBalancer = this.#world.tables.loadBalancers.get(id);
    if (loadBalancer?.pending?.step !== pending.step || loadBalancer.pending.dueMs !== pending.dueMs) return;
    settle(this.#world, loadBalancer, pending.step);
  }
}
