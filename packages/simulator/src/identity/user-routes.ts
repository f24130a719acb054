import { z } from 'zod';
import { ApiError, type ApiRequest, type ApiResponse, created, noContent, ok, type Route } from '../http/api.ts';
import { parseBody } from '../http/parse-body.ts';
import type { World } from '../world.ts';
import { collection } from './collection.ts';
import { notFound, requireAdmin, requireSelfOrAdmin, unauthorized } from './problem.ts';
import type { User } from './records.ts';
import { revoke } from './revocations.ts';
import { assignedRoles } from './token.ts';
import { projectView, userView } from './views.ts';

const UserBody = z.object({
  user: z.object({
    name: z.string().min(1).max(255).optional(),
    password: z.string().nullish(),
    description: z.string().nullish(),
    email: z.string().nullish(),
    enabled: z.boolean().optional(),
    domain_id: z.string().nullish(),
    default_project_id: z.string().nullish(),
    options: z
      .strictObject({
        multi_factor_auth_rules: z.array(z.array(z.string()).min(1)).optional(),
        multi_factor_auth_enabled: z.boolean().optional(),
      })
      .optional(),
  }),
});

const PasswordBody = z.object({ user: z.object({ password: z.string(), original_password: z.string() }) });

export function userRoutes(world: World): Route[] {
  return [
    { method: 'GET', template: '/v3/users', handle: (request) => list(world, request) },
    { method: 'POST', template: '/v3/users', handle: (request) => create(world, request) },
    { method: 'GET', template: '/v3/users/{id}', handle: (request) => show(world, request) },
    { method: 'PATCH', template: '/v3/users/{id}', handle: (request) => update(world, request) },
    { method: 'DELETE', template: '/v3/users/{id}', handle: (request) => remove(world, request) },
    {
      method: 'POST',
      template: '/v3/users/{id}/password',
      open: true,
      handle: (request) => changePassword(world, request),
    },
    { method: 'GET', template: '/v3/users/{id}/projects', handle: (request) => listProjects(world, request) },
    { method: 'GET', template: '/v3/users/{id}/groups', handle: (request) => collection(request, 'groups', []) },
    { method: 'GET', template: '/v3/groups', handle: (request) => collection(request, 'groups', []) },
  ];
}

function list(world: World, request: ApiRequest): ApiResponse {
  requireAdmin(request.access, 'list_users');
  const views = [...world.tables.users.values()].map((user) => userView(user, request.origin));
  return collection(request, 'users', views, ['name', 'enabled', 'domain_id']);
}

function find(world: World, request: ApiRequest): User {
  const id = request.params['id'] ?? '';
  const user = world.tables.users.get(id);
  if (user === undefined) throw notFound('user', id);
  return user;
}

function show(world: World, request: ApiRequest): ApiResponse {
  requireSelfOrAdmin(request.access, request.params['id'] ?? '', 'get_user');
  return ok({ user: userView(find(world, request), request.origin) });
}

function create(world: World, request: ApiRequest): ApiResponse {
  requireAdmin(request.access, 'create_user');
  const { user: body } = parseBody(UserBody, request.body);
  const { name } = body;
  if (name === undefined) throw new ApiError(400, "'name' is a required property");
  if (world.tables.users.find((user) => user.name === name) !== undefined) {
    throw new ApiError(
      409,
      `Conflict occurred attempting to store user - Duplicate entry found with name ${name} at domain ID default.`,
    );
  }
  const user = world.tables.users.put({
    id: world.ids.hex(),
    name,
    password: body.password ?? world.ids.secret(32),
    enabled: body.enabled ?? true,
    description: body.description ?? '',
    ...optionalFields(body),
  });
  return created({ user: userView(user, request.origin) });
}

function update(world: World, request: ApiRequest): ApiResponse {
  requireAdmin(request.access, 'update_user');
  const before = find(world, request);
  const { user: body } = parseBody(UserBody, request.body);
  const user = world.tables.users.put({
    ...before,
    name: body.name ?? before.name,
    password: body.password ?? before.password,
    enabled: body.enabled ?? before.enabled,
    description: body.description ?? before.description,
    ...optionalFields(body),
  });
  if (!user.enabled || user.password !== before.password) revoke(world, { userId: user.id });
  return ok({ user: userView(user, request.origin) });
}

function optionalFields(body: z.infer<typeof UserBody>['user']): Pick<User, 'email' | 'defaultProjectId' | 'options'> {
  return {
    ...(typeof body.email === 'string' ? { email: body.email } : {}),
    ...(typeof body.default_project_id === 'string' ? { defaultProjectId: body.default_project_id } : {}),
    ...(body.options === undefined ? {} : { options: body.options }),
  };
}

function changePassword(world: World, request: ApiRequest): ApiResponse {
  const user = find(world, request);
  const { user: body } = parseBody(PasswordBody, request.body);
  if (user.password !== body.original_password) throw unauthorized();
  world.tables.users.put({ ...user, password: body.password });
  revoke(world, { userId: user.id });
  return noContent;
}

function remove(world: World, request: ApiRequest): ApiResponse {
  requireAdmin(request.access, 'delete_user');
  const { id } = find(world, request);
  const { tables } = world;
  tables.users.delete(id);
  for (const a of tables.assignments.where((a) => a.userId === id)) tables.assignments.delete(a.id);
  for (const c of tables.applicationCredentials.where((c) => c.userId === id))
    tables.applicationCredentials.delete(c.id);
  for (const c of tables.userCredentials.where((c) => c.userId === id)) tables.userCredentials.delete(c.id);
  for (const t of tables.trusts.where((t) => t.trusteeUserId === id || t.trustorUserId === id))
    tables.trusts.delete(t.id);
  revoke(world, { userId: id });
  return noContent;
}

function listProjects(world: World, request: ApiRequest): ApiResponse {
  const id = request.params['id'] ?? '';
  requireSelfOrAdmin(request.access, id, 'list_user_projects');
  const projects = world.tables.projects.where(
    (project) => assignedRoles(world, id, { kind: 'project', projectId: project.id }).length > 0,
  );
  return collection(
    request,
    'projects',
    projects.map((project) => projectView(project, request.origin)),
  );
}
