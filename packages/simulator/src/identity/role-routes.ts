import { type ApiRequest, type ApiResponse, noContent, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { canSee, isAdmin } from './access.ts';
import { collection } from './collection.ts';
import { forbidden, notFound, requireAdmin } from './problem.ts';
import {
  type AssignmentTarget,
  DEFAULT_DOMAIN,
  ROLES,
  type RoleAssignment,
  type RoleName,
  withImpliedRoles,
} from './records.ts';
import { isSameTarget } from './token.ts';
import { roleViews } from './views.ts';

export function roleRoutes(world: World): Route[] {
  const targets: readonly (readonly [template: string, target: (request: ApiRequest) => AssignmentTarget])[] = [
    ['/v3/projects/{project}', ({ params }) => projectTarget(world, params['project'] ?? '')],
    ['/v3/domains/{domain}', () => ({ kind: 'domain' })],
    ['/v3/system', () => ({ kind: 'system' })],
  ];
  return [
    {
      method: 'GET',
      template: '/v3/roles',
      handle: (request) => collection(request, 'roles', roleViews(ROLES.map(({ name }) => name))),
    },
    {
      method: 'GET',
      template: '/v3/roles/{role}',
      handle: ({ params }) => ok({ role: roleViews([findRole(params)])[0] }),
    },
    { method: 'GET', template: '/v3/role_assignments', handle: (request) => listAssignments(world, request) },
    ...targets.flatMap(([prefix, target]): Route[] => {
      const template = `${prefix}/users/{user}/roles`;
      return [
        { method: 'GET', template, handle: (request) => listOf(world, request, target(request)) },
        { method: 'PUT', template: `${template}/{role}`, handle: (request) => grant(world, request, target(request)) },
        { method: 'HEAD', template: `${template}/{role}`, handle: (request) => check(world, request, target(request)) },
        {
          method: 'DELETE',
          template: `${template}/{role}`,
          handle: (request) => revoke(world, request, target(request)),
        },
      ];
    }),
  ];
}

function projectTarget(world: World, projectId: string): AssignmentTarget {
  if (!world.tables.projects.has(projectId)) throw notFound('project', projectId);
  return { kind: 'project', projectId };
}

function findRole(params: ApiRequest['params']): RoleName {
  const id = params['role'] ?? '';
  const role = ROLES.find((candidate) => candidate.id === id);
  if (role === undefined) throw notFound('role', id);
  return role.name;
}

function findUser(world: World, request: ApiRequest): string {
  const id = request.params['user'] ?? '';
  if (!world.tables.users.has(id)) throw notFound('user', id);
  return id;
}

function directAssignments(world: World, userId: string, target: AssignmentTarget): RoleAssignment[] {
  return world.tables.assignments.where((a) => a.userId === userId && isSameTarget(a.target, target));
}

function listOf(world: World, request: ApiRequest, target: AssignmentTarget): ApiResponse {
  requireAdmin(request.access, 'list_grants');
  const names = directAssignments(world, findUser(world, request), target).map((a) => a.role);
  return collection(request, 'roles', roleViews(names));
}

function grant(world: World, request: ApiRequest, target: AssignmentTarget): ApiResponse {
  requireAdmin(request.access, 'create_grant');
  const userId = findUser(world, request);
  const role = findRole(request.params);
  if (!directAssignments(world, userId, target).some((a) => a.role === role)) {
    world.tables.assignments.put({ id: world.ids.hex(), userId, role, target });
  }
  return noContent;
}

function check(world: World, request: ApiRequest, target: AssignmentTarget): ApiResponse {
  requireAdmin(request.access, 'check_grant');
  const role = findRole(request.params);
  if (!directAssignments(world, findUser(world, request), target).some((a) => a.role === role))
    throw notFound('role', role);
  return noContent;
}

function revoke(world: World, request: ApiRequest, target: AssignmentTarget): ApiResponse {
  requireAdmin(request.access, 'revoke_grant');
  const role = findRole(request.params);
  const found = directAssignments(world, findUser(world, request), target).find((a) => a.role === role);
  if (found === undefined) throw notFound('role assignment with role', role);
  world.tables.assignments.delete(found.id);
  return noContent;
}

function listAssignments(world: World, request: ApiRequest): ApiResponse {
  const { query, access } = request;
  const projectId = query.get('scope.project.id');
  const userId = query.get('user.id');
  const isOwn = userId === access.userId || (projectId !== null && canSee(access, projectId));
  if (!isAdmin(access) && !isOwn) throw forbidden('list_role_assignments');
  const roleId = query.get('role.id');
  const isEffective = query.has('effective');
  const withNames = query.has('include_names');
  const found = world.tables.assignments.where(
    (a) =>
      (userId === null || a.userId === userId) &&
      (projectId === null || (a.target.kind === 'project' && a.target.projectId === projectId)) &&
      (!query.has('scope.system') || a.target.kind === 'system'),
  );
  const views = found.flatMap((a) =>
    (isEffective ? withImpliedRoles([a.role]) : [a.role])
      .filter((role) => roleId === null || ROLES.find((r) => r.name === role)?.id === roleId)
      .map((role) => assignmentView(world, { ...a, role }, withNames)),
  );
  return collection(request, 'role_assignments', views, []);
}

function assignmentView(world: World, { userId, role, target }: RoleAssignment, withNames: boolean): object {
  const named = (id: string, name: string | undefined, hasDomain: boolean): object =>
    withNames ? { id, name: name ?? '', ...(hasDomain ? { domain: DEFAULT_DOMAIN } : {}) } : { id };
  const roleId = ROLES.find((candidate) => candidate.name === role)?.id ?? '';
  return {
    user: named(userId, world.tables.users.get(userId)?.name, true),
    role: named(roleId, role, false),
    scope: scopeView(world, target, named),
    links: {},
  };
}

function scopeView(
  world: World,
  target: AssignmentTarget,
  named: (id: string, name: string | undefined, hasDomain: boolean) => object,
): object {
  switch (target.kind) {
    case 'project':
      return { project: named(target.projectId, world.tables.projects.get(target.projectId)?.name, true) };
    case 'domain':
      return { domain: named(DEFAULT_DOMAIN.id, DEFAULT_DOMAIN.name, false) };
    case 'system':
      return { system: { all: true } };
  }
}
