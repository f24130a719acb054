import type { World } from '../world.ts';
import { currentLoadBalancerStatus, currentMemberStatus, currentPoolStatus } from './operating-status.ts';
import type { View } from './query.ts';
import type { HealthMonitor, L7Policy, L7Rule, Listener, LoadBalancer, Member, Pool } from './records.ts';
import {
  findLoadBalancer,
  listenersOf,
  listenersUsing,
  membersOf,
  monitorOf,
  policiesOf,
  poolsOf,
  poolsUsedBy,
  rulesOf,
} from './tree.ts';
import { additionalVipsOf } from './versions.ts';

/*
 * The objects in API responses. The response to creating a whole tree contains children instead of their IDs, and omits
 * references to parents.
 */

const idOf = ({ id }: { readonly id: string }): { readonly id: string } => ({ id });

export function viewLoadBalancer(world: World, row: LoadBalancer): View {
  const {
    ownsVipPort: _ownsVipPort,
    securityGroupId: _securityGroupId,
    pending: _pending,
    additional_vips,
    ...fields
  } = row;
  return {
    ...fields,
    ...(additionalVipsOf(world).areKnown && { additional_vips }),
    tenant_id: row.project_id,
    operating_status: currentLoadBalancerStatus(world, row),
    listeners: listenersOf(world, row).map(idOf),
    pools: poolsOf(world, row).map(idOf),
  };
}

export function viewTree(world: World, row: LoadBalancer): View {
  return {
    ...viewLoadBalancer(world, row),
    listeners: listenersOf(world, row).map((listener) => ({
      ...omitFields(viewListener(world, listener), 'loadbalancers'),
      l7policies: policiesOf(world, listener).map((policy) => ({
        ...viewPolicy(world, policy),
        rules: rulesOf(world, policy).map(viewRule),
      })),
    })),
    pools: poolsOf(world, row).map((pool) => ({
      ...omitFields(viewPool(world, pool), 'loadbalancers', 'healthmonitor_id'),
      members: membersOf(world, pool).map((member) => viewMember(world, member)),
      // Octavia reads the pool before it creates the monitor.
      healthmonitor: null,
    })),
  };
}

function omitFields(view: View, ...names: readonly string[]): View {
  return Object.fromEntries(Object.entries(view).filter(([name]) => !names.includes(name)));
}

export function viewListener(world: World, { load_balancer_id, ...fields }: Listener): View {
  const row = { load_balancer_id, ...fields };
  return {
    ...fields,
    tenant_id: fields.project_id,
    loadbalancers: [{ id: load_balancer_id }],
    l7policies: policiesOf(world, row).map(idOf),
  };
}

export function viewPool(world: World, { load_balancer_id, ...fields }: Pool): View {
  const row = { load_balancer_id, ...fields };
  const monitor = monitorOf(world, row);
  return {
    ...fields,
    tenant_id: fields.project_id,
    operating_status: currentPoolStatus(world, row),
    loadbalancers: [{ id: load_balancer_id }],
    listeners: listenersUsing(world, row).map(idOf),
    members: membersOf(world, row).map(idOf),
    ...(monitor !== undefined && { healthmonitor_id: monitor.id }),
  };
}

export function viewMember(world: World, row: Member): View {
  const { pool_id: _pool, ...fields } = row;
  return { ...fields, tenant_id: row.project_id, operating_status: currentMemberStatus(world, row) };
}

export function viewMonitor({ pool_id, ...fields }: HealthMonitor): View {
  return { ...fields, tenant_id: fields.project_id, pools: [{ id: pool_id }] };
}

export function viewPolicy(world: World, row: L7Policy): View {
  return { ...row, tenant_id: row.project_id, rules: rulesOf(world, row).map(idOf) };
}

export function viewRule({ l7policy_id: _policy, ...fields }: L7Rule): View {
  return { ...fields, tenant_id: fields.project_id };
}

/** Returns the status tree of a load balancer. */
export function viewStatuses(world: World, id: string): View {
  const row = findLoadBalancer(world, id);
  const { name, provisioning_status } = row;
  const listeners = listenersOf(world, row).map((listener) => ({
    ...statusOf(listener),
    name: listener.name,
    pools: poolsUsedBy(world, listener).map((pool) => viewPoolStatuses(world, pool)),
  }));
  const loadbalancer = {
    id,
    name,
    provisioning_status,
    operating_status: currentLoadBalancerStatus(world, row),
    listeners,
  };
  return { loadbalancer };
}

function viewPoolStatuses(world: World, pool: Pool): View {
  const monitor = monitorOf(world, pool);
  const members = membersOf(world, pool).map((member) => ({
    ...statusOf(member),
    name: member.name,
    operating_status: currentMemberStatus(world, member),
    address: member.address,
    protocol_port: member.protocol_port,
  }));
  return {
    ...statusOf(pool),
    name: pool.name,
    operating_status: currentPoolStatus(world, pool),
    ...(monitor !== undefined && { health_monitor: { ...statusOf(monitor), name: monitor.name, type: monitor.type } }),
    members,
  };
}

function statusOf({ id, provisioning_status, operating_status }: Listener | Pool | Member | HealthMonitor): View {
  return { id, provisioning_status, operating_status };
}
