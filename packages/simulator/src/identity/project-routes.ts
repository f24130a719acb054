import { z } from 'zod';
import { ApiError, type ApiRequest, type ApiResponse, created, noContent, ok, type Route } from '../http/api.ts';
import { parseBody } from '../http/parse-body.ts';
import type { World } from '../world.ts';
import { collection } from './collection.ts';
import { notFound, requireAdmin, requireProject, requireSystemReader } from './problem.ts';
import { DEFAULT_DOMAIN, type Project } from './records.ts';
import { revoke } from './revocations.ts';
import { projectView } from './views.ts';

const ProjectBody = z.object({
  project: z.object({
    name: z.string().min(1).max(64).optional(),
    description: z.string().nullish(),
    enabled: z.boolean().optional(),
    domain_id: z.string().nullish(),
    parent_id: z.string().nullish(),
    tags: z.array(z.string()).optional(),
    is_domain: z.boolean().optional(),
  }),
});

export function projectRoutes(world: World): Route[] {
  const domain = { ...DEFAULT_DOMAIN, description: 'The default domain', enabled: true, tags: [], options: {} };
  return [
    { method: 'GET', template: '/v3/projects', handle: (request) => list(world, request) },
    { method: 'POST', template: '/v3/projects', handle: (request) => create(world, request) },
    { method: 'GET', template: '/v3/projects/{id}', handle: (request) => show(world, request) },
    { method: 'PATCH', template: '/v3/projects/{id}', handle: (request) => update(world, request) },
    { method: 'DELETE', template: '/v3/projects/{id}', handle: (request) => remove(world, request) },
    { method: 'GET', template: '/v3/domains', handle: (request) => listDomains(request, domain) },
    {
      method: 'GET',
      template: '/v3/domains/{id}',
      handle: ({ params }) => {
        if (params['id'] !== DEFAULT_DOMAIN.id) throw notFound('domain', params['id'] ?? '');
        return ok({ domain });
      },
    },
  ];
}

function listDomains(request: ApiRequest, domain: object): ApiResponse {
  requireAdmin(request.access, 'list_domains');
  return collection(request, 'domains', [domain]);
}

function list(world: World, request: ApiRequest): ApiResponse {
  requireSystemReader(request.access, 'list_projects');
  const views = [...world.tables.projects.values()].map((project) => projectView(project, request.origin));
  return collection(request, 'projects', views, ['name', 'enabled', 'domain_id', 'parent_id']);
}

function find(world: World, request: ApiRequest): Project {
  const id = request.params['id'] ?? '';
  const project = world.tables.projects.get(id);
  if (project === undefined) throw notFound('project', id);
  return project;
}

function show(world: World, request: ApiRequest): ApiResponse {
  requireProject(request.access, request.params['id'] ?? '', 'get_project');
  return ok({ project: projectView(find(world, request), request.origin) });
}

function create(world: World, request: ApiRequest): ApiResponse {
  requireAdmin(request.access, 'create_project');
  const { project: body } = parseBody(ProjectBody, request.body);
  if (body.name === undefined) throw new ApiError(400, "'name' is a required property");
  refuseDuplicate(world, body.name);
  const project = world.tables.projects.put({
    id: world.ids.hex(),
    name: body.name,
    description: body.description ?? '',
    enabled: body.enabled ?? true,
    tags: body.tags ?? [],
  });
  return created({ project: projectView(project, request.origin) });
}

function update(world: World, request: ApiRequest): ApiResponse {
  requireAdmin(request.access, 'update_project');
  const before = find(world, request);
  const { project: body } = parseBody(ProjectBody, request.body);
  if (body.name !== undefined && body.name !== before.name) refuseDuplicate(world, body.name);
  const project = world.tables.projects.put({
    ...before,
    name: body.name ?? before.name,
    description: body.description ?? before.description,
    enabled: body.enabled ?? before.enabled,
    tags: body.tags ?? before.tags,
  });
  return ok({ project: projectView(project, request.origin) });
}

function remove(world: World, request: ApiRequest): ApiResponse {
  requireAdmin(request.access, 'delete_project');
  const { id } = find(world, request);
  const { tables } = world;
  tables.projects.delete(id);
  for (const a of tables.assignments.where((a) => a.target.kind === 'project' && a.target.projectId === id)) {
    tables.assignments.delete(a.id);
  }
  for (const c of tables.applicationCredentials.where((c) => c.projectId === id))
    tables.applicationCredentials.delete(c.id);
  for (const t of tables.trusts.where((t) => t.projectId === id)) tables.trusts.delete(t.id);
  revoke(world, { projectId: id });
  return noContent;
}

function refuseDuplicate(world: World, name: string): void {
  if (world.tables.projects.find((project) => project.name === name) === undefined) return;
  throw new ApiError(
    409,
    `Conflict occurred attempting to store project - it is not permitted to have two projects with the same name in the same domain : ${name}.`,
  );
}
