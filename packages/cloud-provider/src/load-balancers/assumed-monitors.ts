import type { LoadBalancerTree } from '@fairway/openstack/load-balancer/created-tree';
import type {
  HealthMonitor,
  HealthMonitorFields,
  LoadBalancerCreate,
  Pool,
  PoolTree,
} from '@fairway/openstack/types/load-balancer';

/**
 * Returns a tree with the health monitors that were created with its pools, which Octavia's response omits. They look
 * the way Octavia will return them, except for their IDs, which are needed only to change a monitor. Undefined if a
 * monitor's pool cannot be identified by its name.
 */
export function withAssumedMonitors(tree: LoadBalancerTree, body: LoadBalancerCreate): LoadBalancerTree | undefined {
  const requestedMonitors = poolsOf(body).flatMap(({ name, healthmonitor }) =>
    healthmonitor ? [{ name, healthmonitor }] : [],
  );
  if (requestedMonitors.length === tree.healthMonitors.length) return tree;
  const assumedMonitors = new Map<string, HealthMonitor>();
  for (const { name, healthmonitor } of requestedMonitors) {
    const [pool, ...others] = tree.pools.filter((each) => each.name === name);
    if (pool === undefined || others.length > 0 || assumedMonitors.has(pool.id)) return undefined;
    assumedMonitors.set(pool.id, toMonitor(healthmonitor, pool));
  }
  return {
    ...tree,
    pools: tree.pools.map((pool) => ({ ...pool, healthmonitor_id: assumedMonitors.get(pool.id)?.id ?? null })),
    healthMonitors: [...assumedMonitors.values()],
  };
}

/** Whether the ID was assumed and is not from Octavia. */
export function isAssumed(monitorID: string): boolean {
  return monitorID.startsWith(ASSUMED_ID_PREFIX);
}

const ASSUMED_ID_PREFIX = 'of pool ';

function poolsOf({ listeners = [], pools = [] }: LoadBalancerCreate): readonly PoolTree[] {
  const isTree = (pool: object | undefined): pool is PoolTree => pool !== undefined && 'protocol' in pool;
  return [...pools, ...listeners.map(({ default_pool: pool }) => pool).filter(isTree)];
}

function toMonitor({ name, tags = [], ...fields }: HealthMonitorFields, { id, project_id }: Pool): HealthMonitor {
  return {
    ...fields,
    id: `${ASSUMED_ID_PREFIX}${id}`,
    name: name ?? '',
    project_id,
    provisioning_status: 'PENDING_CREATE',
    admin_state_up: true,
    tags: [...tags],
    pools: [{ id }],
  };
}
