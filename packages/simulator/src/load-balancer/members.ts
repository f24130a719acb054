import { type ApiRequest, type ApiResponse, accepted, created, noContent, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { requireRead, requireWrite } from './access.ts';
import { listChildren } from './collection.ts';
import type { LoadBalancerLife } from './life.ts';
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

export function memberRoutes(world: World, life: LoadBalancerLife): Route[] {
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
    { method: 'POST', template: all, handle: (request) => create(world, life, request, poolOf(request)) },
    { method: 'PUT', template: all, handle: (request) => replace(world, life, request, poolOf(request)) },
    { method: 'PUT', template: one, handle: (request) => update(world, life, request, memberOf(request)) },
    { method: 'DELETE', template: one, handle: (request) => remove(world, life, request, memberOf(request)) },
  ];
}

/** Validates and stores a new member. */
export function makeMember(world: World, pool: Pool, given: MemberFields, how: 'one' | 'batch'): Member {
  const { address, protocol_port } = given;
  if (membersOf(world, pool).some((other) => other.address === address && other.protocol_port === protocol_port)) {
    throw conflict(`Another member on this pool is already using ip ${address} on protocol_port ${protocol_port}`);
  }
  const member: Member = {
    ...newTreeObject(world, pool.project_id, given),
    operating_status: monitorOf(world, pool) === undefined ? 'NO_MONITOR' : 'OFFLINE',
    pool_id: pool.id,
    address,
    protocol_port,
    name: given.name ?? '',
    weight: given.weight ?? 1,
    backup: given.backup ?? false,
    subnet_id: given.subnet_id ?? null,
    monitor_address: given.monitor_address ?? null,
    monitor_port: given.monitor_port ?? null,
  };
  providerOf(world, findLoadBalancer(world, pool.load_balancer_id)).checkMember(pool, member, how);
  return world.tables.members.put(member);
}

function lockPool(world: World, life: LoadBalancerLife, pool: Pool): void {
  lock(world, life, pool.load_balancer_id, { pool, listeners: listenersUsing(world, pool) });
}

function create(world: World, life: LoadBalancerLife, { access, body }: ApiRequest, pool: Pool): ApiResponse {
  const { member: given } = parse(CreateMember, body, 'member_');
  requireWrite(access, pool.project_id);
  if (given.subnet_id != null) findSubnet(world, access, given.subnet_id);
  requireQuota(world, 'Member', pool.project_id);
  lockPool(world, life, pool);
  const member = makeMember(world, pool, given, 'one');
  return created({ member: viewMember(world, member) });
}

function update(world: World, life: LoadBalancerLife, { access, body }: ApiRequest, before: Member): ApiResponse {
  const { member: given } = parse(UpdateMember, body, 'member_');
  requireWrite(access, before.project_id);
  const pool = findPool(world, before.pool_id);
  const after = changed(before, {
    name: given.name === null ? '' : given.name,
    admin_state_up: given.admin_state_up === null ? false : given.admin_state_up,
    weight: given.weight === null ? 1 : given.weight,
    backup: given.backup === null ? false : given.backup,
    monitor_address: given.monitor_address,
    monitor_port: given.monitor_port,
    tags: given.tags ?? undefined,
    provisioning_status: 'PENDING_UPDATE',
  });
  lockPool(world, life, pool);
  providerOf(world, findLoadBalancer(world, pool.load_balancer_id)).checkMember(pool, after, 'one');
  return ok({ member: viewMember(world, world.tables.members.put(after)) });
}

function remove(world: World, life: LoadBalancerLife, { access }: ApiRequest, member: Member): ApiResponse {
  requireWrite(access, member.project_id);
  lockPool(world, life, findPool(world, member.pool_id));
  world.tables.members.put({ ...member, provisioning_status: 'PENDING_DELETE' });
  return noContent;
}

/**
 * Replaces the members of a pool by those of the request, matched by address and port: others are deleted, unless `additive_only`. In existing
 * members, omitted fields are reset to their defaults, except for name and tags.
 */
function replace(world: World, life: LoadBalancerLife, request: ApiRequest, pool: Pool): ApiResponse {
  const { access, body, query } = request;
  const { members: wanted } = parse(ReplaceMembers, body, 'members_');
  requireWrite(access, pool.project_id);
  const isAdditive = ['true', 't', '1', 'yes', 'y', 'on'].includes(query.get('additive_only')?.toLowerCase() ?? '');
  const keyOf = ({ address, protocol_port }: Pick<Member, 'address' | 'protocol_port'>): string =>
    `${address} ${protocol_port}`;
  const before = new Map(membersOf(world, pool).map((member) => [keyOf(member), member]));
  const keys = new Set(wanted.map(keyOf));
  const added = wanted.filter((member) => !before.has(keyOf(member)));
  const dropped = isAdditive ? [] : [...before.values()].filter((member) => !keys.has(keyOf(member)));
  // Even a no-op is rejected while the load balancer is busy.
  const isBusy = findLoadBalancer(world, pool.load_balancer_id).provisioning_status !== 'ACTIVE';
  if (wanted.length === 0 && before.size === 0 && !isBusy) return accepted;
  lockPool(world, life, pool);
  const growth = added.length - dropped.length;
  if (growth > 0) requireQuota(world, 'Member', pool.project_id, growth);
  for (const given of added) {
    if (given.subnet_id != null) findSubnet(world, access, given.subnet_id);
    makeMember(world, pool, given, 'batch');
  }
  const provider = providerOf(world, findLoadBalancer(world, pool.load_balancer_id));
  for (const given of wanted) {
    const known = before.get(keyOf(given));
    if (known === undefined) continue;
    const member = refreshed(known, given);
    provider.checkMember(pool, member, 'batch');
    world.tables.members.put(member);
  }
  for (const member of dropped) world.tables.members.put({ ...member, provisioning_status: 'PENDING_DELETE' });
  return accepted;
}

function refreshed(known: Member, given: MemberFields): Member {
  return {
    ...known,
    name: given.name ?? known.name,
    tags: given.tags ?? known.tags,
    admin_state_up: given.admin_state_up === undefined ? true : given.admin_state_up === true,
    weight: given.weight ?? 1,
    backup: given.backup ?? false,
    subnet_id: given.subnet_id ?? known.subnet_id,
    monitor_address: given.monitor_address ?? null,
    monitor_port: given.monitor_port ?? null,
    provisioning_status: 'PENDING_UPDATE',
  };
}
