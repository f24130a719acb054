import type { LoadBalancerTree } from '@fairway/openstack/load-balancer/created-tree';
import type {
  HealthMonitor,
  HealthMonitorFields,
  LoadBalancerCreate,
  Pool,
  PoolTree,
} from '@fairway/openstack/types/load-balancer';

/**
 * A tree with the health monitors that were created with its pools, which Octavia's response omits: as they will be read, except for their IDs, which are
 * needed only to change one. Undefined if pool names do not identify their owners.
 */
export function withAssumedMonitors(tree: LoadBalancerTree, body: LoadBalancerCreate): LoadBalancerTree | undefined {
  const asked = poolsOf(body).flatMap(({ name, healthmonitor }) => (healthmonitor ? [{ name, healthmonitor }] : []));
  if (asked.length === tree.healthMonitors.length) return tree;
  const assumed = new Map<string, HealthMonitor>();
  for (const { name, healthmonitor } of asked) {
    const [pool, ...others] = tree.pools.filter((each) => each.name === name);
    if (pool === undefined || others.length > 0 || assumed.has(pool.id)) return undefined;
    assumed.set(pool.id, asMonitor(healthmonitor, pool));
  }
  return {
    ...tree,
    pools: tree.pools.map((pool) => ({ ...pool, healthmonitor_id: assumed.get(pool.id)?.id ?? null })),
    healthMonitors: [...assumed.values()],
  };
}

/** Whether this is not an Octavia ID. */
export function isAssumed(monitorID: string): boolean {
  return monitorID.startsWith(ASSUMED);
}

const ASSUMED = 'of pool ';

function poolsOf({ listeners = [], pools = [] }: LoadBalancerCreate): readonly PoolTree[] {
  const isTree = (pool: object | undefined): pool is PoolTree => pool !== undefined && 'protocol' in pool;
  return [...pools, ...listeners.map(({ default_pool: pool }) => pool).filter(isTree)];
}

function asMonitor({ name, tags = [], ...fields }: HealthMonitorFields, { id, project_id }: Pool): HealthMonitor {
  return {
    ...fields,
    id: `${ASSUMED}${id}`,
    name: name ?? '',
    project_id,
    provisioning_status: 'PENDING_CREATE',
    admin_state_up: true,
    tags: [...tags],
    pools: [{ id }],
  };
}
