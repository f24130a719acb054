import { z } from 'zod';
import { type ApiRequest, type ApiResponse, noContent, ok, type Route } from '../http/api.ts';
import { parseBody } from '../http/parse-body.ts';
import { canSee, isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import { badRequest, forbidden, notFound, requireReaderRole, requireWriterRole } from './problem.ts';
import type { GroupPolicy, ServerGroup } from './records.ts';
import { membersOf } from './scheduler.ts';
import { computeLimits } from './server-quota.ts';

const HARD_POLICIES: readonly GroupPolicy[] = ['anti-affinity', 'affinity'];
const POLICIES: readonly GroupPolicy[] = [...HARD_POLICIES, 'soft-anti-affinity', 'soft-affinity'];

const GroupName = z.string().min(1).max(255);
const Rules = z.strictObject({ max_server_per_host: z.coerce.number().int().min(1).optional() });

/** The request contains a list with one policy up to 2.63, and a policy with rules since 2.64. */
function createSchema(microversion: number) {
  const policy = z.enum(microversion >= 15 ? POLICIES : HARD_POLICIES);
  if (microversion < 64) {
    return z.strictObject({ server_group: z.strictObject({ name: GroupName, policies: z.tuple([policy]) }) });
  }
  return z.strictObject({ server_group: z.strictObject({ name: GroupName, policy, rules: Rules.optional() }) });
}

export function serverGroupRoutes(world: World): Route[] {
  const template = '/v2.1/os-server-groups';
  return [
    { method: 'GET', template, handle: (request) => list(world, request) },
    { method: 'POST', template, handle: (request) => create(world, request) },
    {
      method: 'GET',
      template: `${template}/{id}`,
      handle: (request) => ok({ server_group: view(world, request, find(world, request)) }),
    },
    { method: 'DELETE', template: `${template}/{id}`, handle: (request) => remove(world, request) },
  ];
}

function view(world: World, { microversion }: ApiRequest, group: ServerGroup): object {
  const { maxServersPerHost } = group;
  return {
    id: group.id,
    name: group.name,
    members: membersOf(world, group).map((server) => server.id),
    ...(microversion >= 64
      ? { policy: group.policy, rules: maxServersPerHost === null ? {} : { max_server_per_host: maxServersPerHost } }
      : { policies: [group.policy], metadata: {} }),
    ...(microversion >= 13 ? { project_id: group.projectId, user_id: group.userId } : {}),
  };
}

function list(world: World, request: ApiRequest): ApiResponse {
  const { access, query } = request;
  requireReaderRole(access, 'os-server-groups:index');
  const allProjects = query.has('all_projects');
  if (allProjects && !isAdmin(access)) {
    throw forbidden("Policy doesn't allow os_compute_api:os-server-groups:index:all_projects to be performed.");
  }
  const found = world.tables.serverGroups.where((group) => allProjects || group.projectId === access.projectId);
  const offset = Number(query.get('offset') ?? 0);
  const limit = Number(query.get('limit') ?? found.length);
  return ok({ server_groups: found.slice(offset, offset + limit).map((group) => view(world, request, group)) });
}

function find(world: World, { access, params }: ApiRequest): ServerGroup {
  const id = params['id'] ?? '';
  const group = world.tables.serverGroups.get(id);
  if (group === undefined || !canSee(access, group.projectId))
    throw notFound(`Instance group ${id} could not be found.`);
  return group;
}

function create(world: World, request: ApiRequest): ApiResponse {
  const { access, microversion } = request;
  requireWriterRole(access, 'os-server-groups:create');
  const { server_group: body } = parseBody(createSchema(microversion), request.body);
  const policy = 'policy' in body ? body.policy : body.policies[0];
  const maxServersPerHost = 'policy' in body ? (body.rules?.max_server_per_host ?? null) : null;
  if (maxServersPerHost !== null && policy !== 'anti-affinity') {
    throw badRequest('Only anti-affinity policy supports rules.');
  }
  const limit = computeLimits(world, access.projectId)['server_groups'] ?? -1;
  const used = world.tables.serverGroups.where((group) => group.projectId === access.projectId).length;
  if (limit >= 0 && used + 1 > limit) throw forbidden('Quota exceeded, too many server groups.');
  const group = world.tables.serverGroups.put({
    id: world.ids.uuid(),
    name: body.name,
    projectId: access.projectId,
    userId: access.userId,
    policy,
    maxServersPerHost,
  });
  return ok({ server_group: view(world, request, group) });
}

function remove(world: World, request: ApiRequest): ApiResponse {
  const group = find(world, request);
  requireWriterRole(request.access, 'os-server-groups:delete');
  for (const server of membersOf(world, group)) world.tables.servers.put({ ...server, groupId: null });
  world.tables.serverGroups.delete(group.id);
  return noContent;
}
