import { type Excess, enforceLimits, type InClusterLimits } from '@fairway/api/limits/in-cluster';
import { providerExcess } from '@fairway/api/limits/service-limits';
import type { Clock } from '@fairway/base/clock';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { LoadBalancerEvents } from './load-balancer-events.ts';
import type { LoadBalancerScope } from './load-balancer-scope.ts';
import { hasFloatingIp } from './observation.ts';
import { PLAN_LIMIT_REASON, PlanLimitExceeded } from './service-refused.ts';
import type { LoadBalancerSettings } from './settings.ts';

/** An object that has or needs a load balancer. */
interface LimitedOwner extends Pick<LoadBalancerScope, 'key' | 'tenant'> {
  readonly object: KubeObject;
}

interface Beyond {
  readonly excesses: readonly Excess[];
  readonly limits: InClusterLimits;
}

/**
 * Refuses new load balancers beyond the limits of a cluster's plan. The policy in the cluster has the same rules, but
 * the cluster's owner can delete it. Load balancers that existed before a limit are kept and reported.
 */
export class LoadBalancerLimits {
  readonly #clock: Clock;
  readonly #events: LoadBalancerEvents;
  /** Keys whose load balancer this process has seen: it is also kept if it must be recreated. */
  readonly #existing = new Set<string>();

  constructor({ clock, events }: { readonly clock: Clock; readonly events: LoadBalancerEvents }) {
    this.#clock = clock;
    this.#events = events;
  }

  /**
   * `hasLoadBalancer`: whether the object has a load balancer, as far as known. Throws PlanLimitExceeded if it does not
   * and the plan refuses it; records Events about all other excesses. Returns why the plan would refuse a new one.
   */
  require(
    { key, tenant, object }: LimitedOwner,
    { excesses, limits }: Beyond,
    hasLoadBalancer: boolean,
  ): readonly string[] {
    if (hasLoadBalancer) this.#existing.add(key);
    const { refusals, warnings } = enforceLimits(excesses, limits, this.#clock.now());
    if (refusals.length > 0 && !this.#existing.has(key)) throw new PlanLimitExceeded(refusals.join('; '));
    const kept = refusals.map((refusal) => `the load balancer is kept, but a new one would be refused: ${refusal}`);
    for (const message of [...kept, ...warnings]) {
      this.#events.warning(tenant, object, PLAN_LIMIT_REASON, message, message);
    }
    return refusals;
  }

  /** Whether the owner has a load balancer or, if the plan would refuse a new one, what is left of one that it had. */
  async hasLoadBalancer(scope: LoadBalancerScope, { excesses, limits }: Beyond, count: number): Promise<boolean> {
    if (count > 0) return true;
    const { refusals } = enforceLimits(excesses, limits, this.#clock.now());
    return refusals.length > 0 && !this.#existing.has(scope.key) && (await hasFloatingIp(scope));
  }

  forget(key: string): void {
    this.#existing.delete(key);
  }
}

/** The settings with a provider that the plan allows: the cloud's default, or otherwise the plan's first. Pure. */
export function withAllowedProvider(
  settings: LoadBalancerSettings,
  limits: InClusterLimits,
  nowMs: number,
): LoadBalancerSettings {
  const { loadBalancerProviders: allowed } = limits.services ?? {};
  const { provider } = settings;
  if (allowed === undefined || (provider !== undefined && allowed.includes(provider))) return settings;
  const { refusals } = enforceLimits([providerExcess(allowed, provider)], limits, nowMs);
  return refusals.length === 0 ? settings : { ...settings, provider: allowed[0] };
}
