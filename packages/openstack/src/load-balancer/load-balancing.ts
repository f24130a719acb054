import { z } from 'zod';
import type { CallOptions, ServiceApi } from '../service-api.ts';
import { list, record } from '../types/collections.ts';
import { L7Policy, type L7PolicyFields, L7Rule, type L7RuleFields } from '../types/l7-policy.ts';
import {
  HealthMonitor,
  type HealthMonitorFields,
  Listener,
  type ListenerFields,
  LoadBalancerFlavor,
} from '../types/load-balancer.ts';
import { LoadBalancers } from './load-balancers.ts';
import { OctaviaCollection } from './octavia-collection.ts';
import { Pools } from './pools.ts';

/** -1 means "no limit". Releases differ in whether names have an underscore. */
const Quota = z.object({ quota: record(z.number().nullish()) });
const RuleEnvelope = z.object({ rule: L7Rule });
const FlavorList = z.object({ flavors: list(LoadBalancerFlavor) });

export type ListenerCreate = ListenerFields & { readonly loadbalancer_id: string; readonly default_pool_id?: string };
export type ListenerUpdate = Partial<
  Omit<ListenerFields, 'protocol' | 'protocol_port' | 'default_tls_container_ref'>
> & {
  readonly default_pool_id?: string | null;
  readonly default_tls_container_ref?: string | null;
};
/** A policy without rules matches nothing; rules are created one by one. */
export type L7PolicyCreate = L7PolicyFields & {
  readonly listener_id: string;
  readonly redirect_pool_id?: string;
  readonly admin_state_up?: boolean;
};
export type L7PolicyUpdate = Partial<Pick<L7PolicyCreate, 'position' | 'redirect_pool_id' | 'admin_state_up' | 'tags'>>;
export type HealthMonitorUpdate = Partial<Omit<HealthMonitorFields, 'type'>>;

/** In older releases. */
const SPELLINGS: Readonly<Record<string, string>> = { loadbalancer: 'load_balancer', healthmonitor: 'health_monitor' };

/** https://docs.openstack.org/api-ref/load-balancer/v2/ */
export class LoadBalancing {
  readonly loadBalancers: LoadBalancers;
  readonly listeners: OctaviaCollection<Listener, ListenerCreate, ListenerUpdate>;
  readonly pools: Pools;
  readonly healthMonitors: OctaviaCollection<
    HealthMonitor,
    HealthMonitorFields & { readonly pool_id: string },
    HealthMonitorUpdate
  >;
  readonly l7Policies: OctaviaCollection<L7Policy, L7PolicyCreate, L7PolicyUpdate>;
  readonly #api: ServiceApi;

  constructor(api: ServiceApi) {
    this.#api = api;
    this.loadBalancers = new LoadBalancers(api);
    this.listeners = new OctaviaCollection(api, { plural: 'listeners', singular: 'listener' }, Listener);
    this.pools = new Pools(api);
    this.l7Policies = new OctaviaCollection(api, { plural: 'l7policies', singular: 'l7policy' }, L7Policy);
    this.healthMonitors = new OctaviaCollection(
      api,
      { plural: 'healthmonitors', singular: 'healthmonitor' },
      HealthMonitor,
    );
  }

  /**
   * `POST /lbaas/l7policies/{l7policy_id}/rules`: rules can be created together with their policy only when creating a
   * whole load balancer.
   */
  async createRule(policyId: string, rule: L7RuleFields, options: CallOptions = {}): Promise<L7Rule> {
    const call = { ...options, params: { l7policy_id: policyId }, body: { rule } };
    return (await this.#api.post(RuleEnvelope, '/lbaas/l7policies/{l7policy_id}/rules', call)).rule;
  }

  /**
   * The newest minor version of the API, such as `2.26`. Requests cannot select one; older versions refuse newer
   * features. Undefined if it reports none.
   */
  async apiVersion(): Promise<string | undefined> {
    return this.#api.newestVersion();
  }

  /** `GET /lbaas/flavors`: clouds have only a few. */
  async flavors(options: CallOptions = {}): Promise<readonly LoadBalancerFlavor[]> {
    return (await this.#api.get(FlavorList, '/lbaas/flavors', options)).flavors;
  }

  /**
   * `GET /lbaas/quotas/{project_id}`: limits, keyed by names such as `load_balancer`; Octavia does not report usage.
   */
  async quotas(projectId: string, options: CallOptions = {}): Promise<ReadonlyMap<string, number>> {
    const call = { ...options, params: { project_id: projectId } };
    const { quota } = await this.#api.get(Quota, '/lbaas/quotas/{project_id}', call);
    const limits = Object.entries(quota).map(([name, limit]) => [SPELLINGS[name] ?? name, limit ?? -1] as const);
    return new Map(limits);
  }
}
