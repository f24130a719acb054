import { type ApiRequest, type ApiResponse, accepted, created, noContent, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { requireRead, requireWrite } from './access.ts';
import { listChildren } from './collection.ts';
import type { LoadBalancerLifecycle } from './load-balancer-lifecycle.ts';
import { lock } from './lock.ts';
import { CreateMember, type MemberFields, ReplaceMembers, UpdateMember } from './member-schema.ts';
import { parse } from './parse.ts';
import { conflict, parentNotFound } from './problem.ts';
import { providerOf } from './provider.ts';
import { pick } from './query.ts';
import { requireQuota } from './quota.ts';
import type { Member, Pool } from './records.ts';
import { changed, newTreeObject } from './stamp.ts';
import { findLoadBalancer, findMember, findPool, listenersUsing, membersOf, monitorOf } from './tree.ts';
import { viewMember } from './views.ts';
import { findSubnet } from './vip.ts';

const FILTERS = ['address', 'protocol_port', 'weight', 'backup', 'subnet_id', 'monitor_address', 'monitor_port'];

export function memberRoutes(world: World, lifecycle: LoadBalancerLifecycle): Route[] {
  const poolOf = ({ params }: ApiRequest): Pool => {
    const pool = world.tables.pools.get(params['pool'] ?? '');
    if (pool === undefined) throw parentNotFound('Pool', params['pool'] ?? '');
    return pool;
  };
  const memberOf = (request: ApiRequest): Member => findMember(world, poolOf(request).id, request.params['id'] ?? '');
  const all = '/pools/{pool}/members';
  const one = `${all}/{id}`;
  return [
    {
      method: 'GET',
      template: all,
      handle: (request) => {
        const pool = poolOf(request);
        requireRead(request.access, pool.project_id);
        const views = membersOf(world, pool).map((member) => viewMember(world, member));
        return listChildren(request, 'members', views, FILTERS);
      },
    },
    {
      method: 'GET',
      template: one,
      handle: (request) => {
        const member = memberOf(request);
        requireRead(request.access, member.project_id);
        return ok({ member: pick(viewMember(world, member), request.query) });
      },
    },
    { method: 'POST', template: all, handle: (request) => create(world, lifecycle, request, poolOf(request)) },
    { method: 'PUT', template: all, handle: (request) => replace(world, lifecycle, request, poolOf(request)) },
    { method: 'PUT', template: one, handle: (request) => update(world, lifecycle, request, memberOf(request)) },
    { method: 'DELETE', template: one, handle: (request) => remove(world, lifecycle, request, memberOf(request)) },
  ];
}

/** Validates and stores a new member. */
export function makeMember(world: World, pool: Pool, fields: MemberFields, mode: 'one' | 'batch'): Member {
  const { address, protocol_port } = fields;
  if (membersOf(world, pool).some((other) => other.address === address && other.protocol_port === protocol_port)) {
    throw conflict(`Another member on this pool is already using ip ${address} on protocol_port ${protocol_port}`);
  }
  const member: Member = {
    ...newTreeObject(world, pool.project_id, fields),
    operating_status: monitorOf(world, pool) === undefined ? 'NO_MONITOR' : 'OFFLINE',
    pool_id: pool.id,
    address,
    protocol_port,
    name: fields.name ?? '',
    weight: fields.weight ?? 1,
    backup: fields.backup ?? false,
    subnet_id: fields.subnet_id ?? null,
    monitor_address: fields.monitor_address ?? null,
    monitor_port: fields.monitor_port ?? null,
  };
  providerOf(world, findLoadBalancer(world, pool.load_balancer_id)).checkMember(pool, member, mode);
  return world.tables.members.put(member);
}

function lockPool(world: World, lifecycle: LoadBalancerLifecycle, pool: Pool): void {
  lock(world, lifecycle, pool.load_balancer_id, { pool, listeners: listenersUsing(world, pool) });
}

function create(world: World, lifecycle: LoadBalancerLifecycle, { access, body }: ApiRequest, pool: Pool): ApiResponse {
  const { member: fields } = parse(CreateMember, body, 'member_');
  requireWrite(access, pool.project_id);
  if (fields.subnet_id != null) findSubnet(world, access, fields.subnet_id);
  requireQuota(world, 'Member', pool.project_id);
  lockPool(world, lifecycle, pool);
  const member = makeMember(world, pool, fields, 'one');
  return created({ member: viewMember(world, member) });
}

function update(
  world: World,
  lifecycle: LoadBalancerLifecycle,
  { access, body }: ApiRequest,
  before: Member,
): ApiResponse {
  const { member: fields } = parse(UpdateMember, body, 'member_');
  requireWrite(access, before.project_id);
  const pool = findPool(world, before.pool_id);
  const after = changed(before, {
    name: fields.name === null ? '' : fields.name,
    admin_state_up: fields.admin_state_up === null ? false : fields.admin_state_up,
    weight: fields.weight === null ? 1 : fields.weight,
    backup: fields.backup === null ? false : fields.backup,
    monitor_address: fields.monitor_address,
    monitor_port: fields.monitor_port,
    tags: fields.tags ?? undefined,
    provisioning_status: 'PENDING_UPDATE',
  });
  lockPool(world, lifecycle, pool);
  providerOf(world, findLoadBalancer(world, pool.load_balancer_id)).checkMember(pool, after, 'one');
  return ok({ member: viewMember(world, world.tables.members.put(after)) });
}

function remove(world: World, lifecycle: LoadBalancerLifecycle, { access }: ApiRequest, member: Member): ApiResponse {
  requireWrite(access, member.project_id);
  lockPool(world, lifecycle, findPool(world, member.pool_id));
  world.tables.members.put({ ...member, provisioning_status: 'PENDING_DELETE' });
  return noContent;
}

/**
 * Replaces the members of a pool with those in the request, matched by address and port. All other members are deleted,
 * unless `additive_only` is set. In existing members, omitted fields are reset to their defaults, except for name and
 * tags.
 */
function replace(world: World, lifecycle: LoadBalancerLifecycle, request: ApiRequest, pool: Pool): ApiResponse {
  const { access, body, query } = request;
  const { members: requested } = parse(ReplaceMembers, body, 'members_');
  requireWrite(access, pool.project_id);
  const isAdditive = ['true', 't', '1', 'yes', 'y', 'on'].includes(query.get('additive_only')?.toLowerCase() ?? '');
  const keyOf = ({ address, protocol_port }: Pick<Member, 'address' | 'protocol_port'>): string =>
    `${address} ${protocol_port}`;
  const before = new Map(membersOf(world, pool).map((member) => [keyOf(member), member]));
  const keys = new Set(requested.map(keyOf));
  const added = requested.filter((member) => !before.has(keyOf(member)));
  const dropped = isAdditive ? [] : [...before.values()].filter((member) => !keys.has(keyOf(member)));
  // Even a no-op is rejected while the load balancer is busy.
  const isBusy = findLoadBalancer(world, pool.load_balancer_id).provisioning_status !== 'ACTIVE';
  if (requested.length === 0 && before.size === 0 && !isBusy) return accepted;
  lockPool(world, lifecycle, pool);
  const expansion = added.length - dropped.length;
  if (expansion > 0) requireQuota(world, 'Member', pool.project_id, expansion);
  for (const fields of added) {
    if (fields.subnet_id != null) findSubnet(world, access, fields.subnet_id);
    makeMember(world, pool, fields, 'batch');
  }
  const provider = providerOf(world, findLoadBalancer(world, pool.load_balancer_id));
  for (const fields of requested) {
    const known = before.get(keyOf(fields));
    if (known === undefined) continue;
    const member = updatedMember(known, fields);
    provider.checkMember(pool, member, 'batch');
    world.tables.members.put(member);
  }
  for (const member of dropped) world.tables.members.put({ ...member, provisioning_status: 'PENDING_DELETE' });
  return accepted;
}

function updatedMember(known: Member, fields: MemberFields): Member {
  return {
    ...known,
    name: fields.name ?? known.name,
    tags: fields.tags ?? known.tags,
    admin_state_up: fields.admin_state_up === undefined ? true : fields.admin_state_up === true,
    weight: fields.weight ?? 1,
    backup: fields.backup ?? false,
    subnet_id: fields.subnet_id ?? known.subnet_id,
    monitor_address: fields.monitor_address ?? null,
    monitor_port: fields.monitor_port ?? null,
    provisioning_status: 'PENDING_UPDATE',
  };
}
