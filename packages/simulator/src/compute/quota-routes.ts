import { z } from 'zod';
import { type ApiRequest, type ApiResponse, accepted, ok, type Route } from '../http/api.ts';
import { parseBody } from '../http/parse-body.ts';
import { canSee } from '../identity/access.ts';
import type { World } from '../world.ts';
import { badRequest, forbidden, requireAdmin } from './problem.ts';
import { computeLimits, computeUsage } from './server-quota.ts';

/** Fields that are omitted since these microversions: Neutron's quotas, and quotas removed in 2.57. */
const REMOVAL_MICROVERSIONS: Readonly<Record<string, number>> = {
  fixed_ips: 36,
  floating_ips: 36,
  security_groups: 36,
  security_group_rules: 36,
  injected_files: 57,
  injected_file_content_bytes: 57,
  injected_file_path_bytes: 57,
};

export function computeQuotaRoutes(world: World): Route[] {
  const template = '/v2.1/os-quota-sets/{project}';
  const seen = (request: ApiRequest): string => {
    const projectId = request.params['project'] ?? '';
    if (canSee(request.access, projectId)) return projectId;
    throw forbidden("Policy doesn't allow os_compute_api:os-quota-sets:show to be performed.");
  };
  const response = (request: ApiRequest, id: string, limits: Readonly<Record<string, unknown>>): ApiResponse =>
    ok({ quota_set: { id, ...visible(request, limits) } });
  return [
    {
      method: 'GET',
      template,
      handle: (request) => response(request, seen(request), computeLimits(world, seen(request))),
    },
    {
      method: 'GET',
      template: `${template}/defaults`,
      handle: (request) => response(request, request.params['project'] ?? '', world.config.quotas.compute),
    },
    {
      method: 'GET',
      template: `${template}/detail`,
      handle: (request) => response(request, seen(request), details(world, seen(request))),
    },
    { method: 'PUT', template, handle: (request) => update(world, request) },
    {
      method: 'DELETE',
      template,
      handle: ({ access, params }) => {
        requireAdmin(access, 'os-quota-sets:delete');
        world.tables.quotas.delete(`compute/${params['project'] ?? ''}`);
        return accepted;
      },
    },
    {
      method: 'GET',
      template: '/v2.1/os-quota-class-sets/{class}',
      handle: (request) => {
        const id = request.params['class'] ?? '';
        return ok({ quota_class_set: { id, ...visible(request, world.config.quotas.compute) } });
      },
    },
    { method: 'GET', template: '/v2.1/limits', handle: (request) => showLimits(world, request) },
  ];
}

function visible({ microversion }: ApiRequest, limits: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(limits).filter(([name]) => microversion < (REMOVAL_MICROVERSIONS[name] ?? Infinity)),
  );
}

function usageOf(world: World, projectId: string): Record<string, number> {
  const { instances, cores, ram } = computeUsage(world, projectId);
  const serverGroups = world.tables.serverGroups.where((group) => group.projectId === projectId).length;
  return { instances, cores, ram, server_groups: serverGroups };
}

function details(world: World, projectId: string): Record<string, object> {
  const used = usageOf(world, projectId);
  return Object.fromEntries(
    Object.entries(computeLimits(world, projectId)).map(([name, limit]) => [
      name,
      { limit, in_use: used[name] ?? 0, reserved: 0 },
    ]),
  );
}

const Update = z.object({
  quota_set: z.record(z.string(), z.union([z.coerce.number().int().min(-1), z.boolean(), z.string()])),
});

function update(world: World, request: ApiRequest): ApiResponse {
  requireAdmin(request.access, 'os-quota-sets:update');
  const projectId = request.params['project'] ?? '';
  const { quota_set: body } = parseBody(Update, request.body);
  const limits: Record<string, number> = {};
  for (const [name, value] of Object.entries(body)) {
    if (name === 'force' || name === 'tenant_id' || name === 'id') continue;
    if (!(name in world.config.quotas.compute) || typeof value !== 'number') {
      throw badRequest(
        `Invalid input for field/attribute quota_set. Additional properties are not allowed ('${name}' was unexpected)`,
      );
    }
    limits[name] = value;
  }
  const id = `compute/${projectId}`;
  world.tables.quotas.put({ id, limits: { ...world.tables.quotas.get(id)?.limits, ...limits } });
  return ok({ quota_set: visible(request, computeLimits(world, projectId)) });
}

function showLimits(world: World, request: ApiRequest): ApiResponse {
  const { access, query } = request;
  const projectId = query.get('tenant_id') ?? access.projectId;
  if (!canSee(access, projectId))
    throw forbidden("Policy doesn't allow os_compute_api:limits:other_project to be performed.");
  const limits = computeLimits(world, projectId);
  const used = usageOf(world, projectId);
  const absoluteLimits = {
    maxTotalInstances: limits['instances'],
    maxTotalCores: limits['cores'],
    maxTotalRAMSize: limits['ram'],
    maxTotalKeypairs: limits['key_pairs'],
    maxServerMeta: limits['metadata_items'],
    maxServerGroups: limits['server_groups'],
    maxServerGroupMembers: limits['server_group_members'],
    totalInstancesUsed: used['instances'],
    totalCoresUsed: used['cores'],
    totalRAMUsed: used['ram'],
    totalServerGroupsUsed: used['server_groups'],
    ...(request.microversion < 57
      ? { maxImageMeta: limits['metadata_items'], maxPersonality: 5, maxPersonalitySize: 10_240 }
      : {}),
  };
  return ok({ limits: { rate: [], absolute: absoluteLimits } });
}
