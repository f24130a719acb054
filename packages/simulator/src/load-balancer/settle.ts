import type { Table } from '../state/table.ts';
import type { World } from '../world.ts';
import { memberStatus } from './operating-status.ts';
import { providerOf } from './provider.ts';
import type {
  L7Policy,
  Listener,
  LoadBalancer,
  OperatingStatus,
  PendingStep,
  Pool,
  ProvisioningStatus,
  TreeObject,
} from './records.ts';
import { canOpenVip, openVip, releaseVip } from './security-group.ts';
import { octaviaTime } from './stamp.ts';
import { listenersOf, membersOf, monitorOf, policiesOf, poolsOf, rulesOf } from './tree.ts';

/** Completes a provider's work on a load balancer: pending objects in its tree become ACTIVE, deleted, or ERROR. */
export function settle(world: World, loadBalancer: LoadBalancer, step: PendingStep): void {
  const { faults, tables } = world;
  const { project_id } = loadBalancer;
  const { bootsMachines } = providerOf(world, loadBalancer);
  const isHit = faults.matchLoadBalancer(project_id, tables.projects.get(project_id)?.name ?? '');
  const hasFailed = isHit || (step !== 'delete' && bootsMachines && !canOpenVip(world, loadBalancer));
  if (step === 'delete' && !hasFailed) {
    removeTree(world, loadBalancer);
    releaseVip(world, loadBalancer);
    tables.loadBalancers.delete(loadBalancer.id);
    return;
  }
  if (!hasFailed) removeDeleted(world, loadBalancer);
  const outcome: StepOutcome = hasFailed ? 'ERROR' : step === 'failover' ? 'restored' : 'ACTIVE';
  settleListeners(world, loadBalancer, outcome);
  settlePools(world, loadBalancer, outcome);
  const securityGroupId = hasFailed || !bootsMachines ? null : openVip(world, loadBalancer);
  tables.loadBalancers.put({
    ...settled(world, loadBalancer, outcome, 'ONLINE'),
    // The work was done on this load balancer itself, so the outcome applies regardless of its status.
    provisioning_status: hasFailed ? 'ERROR' : 'ACTIVE',
    securityGroupId: securityGroupId ?? loadBalancer.securityGroupId,
    pending: null,
  });
}

/** `restored` clears ERROR too, because the whole tree was recreated. */
type StepOutcome = 'ACTIVE' | 'ERROR' | 'restored';

function settled<R extends TreeObject>(world: World, row: R, outcome: StepOutcome, activeStatus: OperatingStatus): R {
  const operating_status = outcome === 'ERROR' ? row.operating_status : row.admin_state_up ? activeStatus : 'OFFLINE';
  const provisioning_status = statusAfter(row.provisioning_status, outcome);
  if (operating_status === row.operating_status && provisioning_status === row.provisioning_status) return row;
  return { ...row, operating_status, provisioning_status, updated_at: octaviaTime(world) };
}

function statusAfter(before: ProvisioningStatus, outcome: StepOutcome): ProvisioningStatus {
  if (outcome === 'restored') return 'ACTIVE';
  return before.startsWith('PENDING_') ? outcome : before;
}

function store<R extends TreeObject>(
  world: World,
  table: Table<R>,
  row: R,
  outcome: StepOutcome,
  up: OperatingStatus,
): void {
  const after = settled(world, row, outcome, up);
  if (after !== row) table.put(after);
}

function settleListeners(world: World, loadBalancer: LoadBalancer, outcome: StepOutcome): void {
  const { tables } = world;
  for (const listener of listenersOf(world, loadBalancer)) {
    store(world, tables.listeners, listener, outcome, 'ONLINE');
    for (const policy of policiesOf(world, listener)) {
      store(world, tables.l7Policies, policy, outcome, 'ONLINE');
      for (const rule of rulesOf(world, policy)) store(world, tables.l7Rules, rule, outcome, 'ONLINE');
    }
  }
}

function settlePools(world: World, loadBalancer: LoadBalancer, outcome: StepOutcome): void {
  const { tables } = world;
  for (const pool of poolsOf(world, loadBalancer)) {
    const monitor = monitorOf(world, pool);
    if (monitor !== undefined) store(world, tables.healthMonitors, monitor, outcome, 'ONLINE');
    for (const member of membersOf(world, pool))
      store(world, tables.members, member, outcome, memberStatus(member, monitor));
    store(world, tables.pools, pool, outcome, 'ONLINE');
  }
}

const isDeleted = (row: TreeObject): boolean => row.provisioning_status === 'PENDING_DELETE';

function removeDeleted(world: World, loadBalancer: LoadBalancer): void {
  const { tables } = world;
  for (const listener of listenersOf(world, loadBalancer)) {
    if (isDeleted(listener)) {
      removeListener(world, listener);
      continue;
    }
    for (const policy of policiesOf(world, listener)) {
      if (isDeleted(policy)) removePolicy(world, policy);
      else for (const rule of rulesOf(world, policy)) if (isDeleted(rule)) tables.l7Rules.delete(rule.id);
    }
  }
  for (const pool of poolsOf(world, loadBalancer)) {
    if (isDeleted(pool)) {
      removePool(world, pool);
      continue;
    }
    const monitor = monitorOf(world, pool);
    if (monitor !== undefined && isDeleted(monitor)) tables.healthMonitors.delete(monitor.id);
    for (const member of membersOf(world, pool)) if (isDeleted(member)) tables.members.delete(member.id);
  }
}

function removeTree(world: World, loadBalancer: LoadBalancer): void {
  for (const listener of listenersOf(world, loadBalancer)) removeListener(world, listener);
  for (const pool of poolsOf(world, loadBalancer)) removePool(world, pool);
}

function removeListener(world: World, listener: Listener): void {
  for (const policy of policiesOf(world, listener)) removePolicy(world, policy);
  world.tables.listeners.delete(listener.id);
}

/** Deletes a policy and moves later policies up. */
function removePolicy(world: World, policy: L7Policy): void {
  const { indexes, tables } = world;
  for (const rule of rulesOf(world, policy)) tables.l7Rules.delete(rule.id);
  tables.l7Policies.delete(policy.id);
  for (const other of indexes.policiesByListener.of(policy.listener_id)) {
    if (other.position > policy.position) tables.l7Policies.put({ ...other, position: other.position - 1 });
  }
}

function removePool(world: World, pool: Pool): void {
  const { indexes, tables } = world;
  for (const listener of indexes.listenersByDefaultPool.of(pool.id))
    tables.listeners.put({ ...listener, default_pool_id: null });
  const monitor = monitorOf(world, pool);
  if (monitor !== undefined) tables.healthMonitors.delete(monitor.id);
  for (const member of membersOf(world, pool)) tables.members.delete(member.id);
  tables.pools.delete(pool.id);
}
