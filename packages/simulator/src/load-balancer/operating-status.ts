import type { World } from '../world.ts';
import type { HealthMonitor, LoadBalancer, Member, OperatingStatus, Pool } from './records.ts';
import { membersOf, monitorOf, poolsOf } from './tree.ts';

/** The status that a provider reports for a member that is healthy or has no monitor. */
export function memberStatus(
  member: Pick<Member, 'admin_state_up' | 'weight'>,
  monitor: Pick<HealthMonitor, 'admin_state_up'> | undefined,
): OperatingStatus {
  if (!member.admin_state_up) return 'OFFLINE';
  if (monitor?.admin_state_up !== true) return 'NO_MONITOR';
  return member.weight === 0 ? 'DRAINING' : 'ONLINE';
}

/** The status of a pool or load balancer, derived from its members. */
export function combinedProblem(statuses: readonly OperatingStatus[]): OperatingStatus {
  const errorCount = statuses.filter((status) => status === 'ERROR').length;
  if (errorCount === 0) return 'ONLINE';
  return errorCount === statuses.length ? 'ERROR' : 'DEGRADED';
}

/** The status of a member, including the result of its monitor. */
export function currentMemberStatus(world: World, member: Member): OperatingStatus {
  if (member.operating_status !== 'ONLINE') return member.operating_status;
  const project = world.tables.projects.get(member.project_id)?.name ?? '';
  const probedAddress = member.monitor_address ?? member.address;
  return world.faults.isMemberDown(member.project_id, project, probedAddress) ? 'ERROR' : 'ONLINE';
}

export function currentPoolStatus(world: World, pool: Pool): OperatingStatus {
  if (pool.operating_status !== 'ONLINE' || monitorOf(world, pool) === undefined) return pool.operating_status;
  const watched = membersOf(world, pool).map((member) => currentMemberStatus(world, member));
  return combinedProblem(watched.filter((status) => status === 'ONLINE' || status === 'ERROR'));
}

/** The worst status of the load balancer's pools. */
export function currentLoadBalancerStatus(world: World, loadBalancer: LoadBalancer): OperatingStatus {
  if (loadBalancer.operating_status !== 'ONLINE') return loadBalancer.operating_status;
  const statuses = poolsOf(world, loadBalancer).map((pool) => currentPoolStatus(world, pool));
  return (['ERROR', 'DEGRADED'] as const).find((status) => statuses.includes(status)) ?? 'ONLINE';
}
