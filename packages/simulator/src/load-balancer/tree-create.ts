import { ApiError } from '../http/api.ts';
import type { World } from '../world.ts';
import { makePolicy } from './l7-policies.ts';
import type { PolicyOfTree } from './l7-schema.ts';
import { makeListener } from './listeners.ts';
import type { ListenerOfTree } from './load-balancer-schema.ts';
import { makeMember } from './members.ts';
import { makeMonitor } from './monitors.ts';
import type { PoolOfTree } from './pool-schema.ts';
import { makePool } from './pools.ts';
import { invalid } from './problem.ts';
import { requireQuota } from './quota.ts';
import type { Listener, LoadBalancer } from './records.ts';

/**
 * Creates the listeners and pools of a new load balancer. A pool is defined once, separately or at its first use;
 * elsewhere it is referred to by name.
 */
export function makeTree(
  world: World,
  loadBalancer: LoadBalancer,
  listeners: readonly ListenerOfTree[],
  pools: readonly PoolOfTree[],
): void {
  const projectId = loadBalancer.project_id;
  const definitions = collectPools(listeners, pools);
  if (definitions.length > 0) requireQuota(world, 'Pool', projectId, definitions.length);
  const idByName = new Map(
    definitions.map((pool) => [pool.name ?? '', makePoolFromTree(world, loadBalancer, pool)] as const),
  );
  if (listeners.length > 0) requireQuota(world, 'Listener', projectId, listeners.length);
  for (const { default_pool, l7policies, ...fields } of listeners) {
    const default_pool_id = default_pool == null ? fields.default_pool_id : idByName.get(default_pool.name ?? '');
    const listener = makeListener(world, loadBalancer, { ...fields, default_pool_id });
    for (const policy of l7policies ?? []) makeTreePolicy(world, listener, policy, idByName);
  }
}

function makeTreePolicy(
  world: World,
  listener: Listener,
  { redirect_pool, ...fields }: PolicyOfTree,
  idByName: ReadonlyMap<string, string>,
): void {
  if (listener.protocol === 'PROMETHEUS')
    throw new ApiError(400, 'Protocol PROMETHEUS listeners cannot have child objects.');
  const redirect_pool_id = redirect_pool == null ? null : idByName.get(redirect_pool.name ?? '');
  makePolicy(world, listener, { ...fields, redirect_pool_id });
}

/** All definitions of pools, starting with those of the load balancer itself. */
function collectPools(listeners: readonly ListenerOfTree[], pools: readonly PoolOfTree[]): PoolOfTree[] {
  const definitions = [...pools];
  const references = new Set<string>();
  for (const listener of listeners) {
    const used = [listener.default_pool, ...(listener.l7policies ?? []).map((policy) => policy.redirect_pool)];
    for (const pool of used) {
      if (pool == null) continue;
      if (pool.name == null || pool.name === '')
        throw invalid('Pools must be named when creating a fully populated loadbalancer.');
      if (isDefinition(pool)) definitions.push(pool);
      else references.add(pool.name);
    }
  }
  const names = new Set(definitions.map((pool) => pool.name));
  if (names.size < definitions.length)
    throw invalid('Pool names must be unique when creating a fully populated loadbalancer.');
  for (const name of references)
    if (!names.has(name)) throw invalid(`Pool '${name}' was referenced but no full definition was found.`);
  return definitions;
}

function isDefinition({
  name: _name,
  admin_state_up: _adminStateUp,
  tls_enabled: _tlsEnabled,
  ...rest
}: PoolOfTree): boolean {
  return Object.values(rest).some((value) => value !== undefined);
}

function makePoolFromTree(world: World, loadBalancer: LoadBalancer, input: PoolOfTree): string {
  const { healthmonitor, members = [], protocol, lb_algorithm, ...fields } = input;
  const refuse = (missing: string): Error =>
    invalid(`Pool definition for '${input.name}' missing required attribute: ${missing}`);
  if (protocol == null) throw refuse('protocol');
  if (lb_algorithm == null) throw refuse('lb_algorithm');
  const { project_id } = loadBalancer;
  const pool = makePool(world, loadBalancer, { ...fields, protocol, lb_algorithm });
  if (healthmonitor != null) {
    requireQuota(world, 'Health Monitor', project_id);
    makeMonitor(world, pool, healthmonitor);
  }
  if (members !== null && members.length > 0) requireQuota(world, 'Member', project_id, members.length);
  for (const member of members ?? []) makeMember(world, pool, member, 'one');
  return pool.id;
}
