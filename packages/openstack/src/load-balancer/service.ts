import type { CachedKind } from '../cache/cached-kind.ts';
import type { ClientService } from '../service.ts';
import type { ServiceApi } from '../service-api.ts';
import type { L7Policy } from '../types/l7-policy.ts';
import type { HealthMonitor, Listener, LoadBalancer, Pool } from '../types/load-balancer.ts';
import { LoadBalancing } from './load-balancing.ts';
import type { OctaviaFilter } from './octavia-collection.ts';

/** Faults and manual changes are detected within a minute, including jitter. */
const DRIFT_INTERVAL_MS = 55_000;

const loadBalancers: CachedKind<LoadBalancing, LoadBalancer, OctaviaFilter> = {
  slowMs: DRIFT_INTERVAL_MS,
  list: (octavia, filter, call) => octavia.loadBalancers.list(filter, call),
};
const listeners: CachedKind<LoadBalancing, Listener, OctaviaFilter> = {
  slowMs: DRIFT_INTERVAL_MS,
  list: (octavia, filter, call) => octavia.listeners.list(filter, call),
};
const pools: CachedKind<LoadBalancing, Pool, OctaviaFilter> = {
  slowMs: DRIFT_INTERVAL_MS,
  list: (octavia, filter, call) => octavia.pools.list(filter, call),
};
const healthMonitors: CachedKind<LoadBalancing, HealthMonitor, OctaviaFilter> = {
  slowMs: DRIFT_INTERVAL_MS,
  list: (octavia, filter, call) => octavia.healthMonitors.list(filter, call),
};

const l7Policies: CachedKind<LoadBalancing, L7Policy, OctaviaFilter> = {
  slowMs: DRIFT_INTERVAL_MS,
  list: (octavia, filter, call) => octavia.l7Policies.list(filter, call),
};

export const loadBalancerService = {
  type: 'load-balancer',
  project: 'Octavia',
  majorVersion: /^v2(\.0)?$/,
  probe: '/lbaas/providers',
  clientName: 'loadBalancing',
  client: (api: ServiceApi) => new LoadBalancing(api),
  cached: { loadBalancers, listeners, pools, healthMonitors, l7Policies },
} as const satisfies ClientService;
