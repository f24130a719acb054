import { z } from 'zod';
import { type ApiRequest, type ApiResponse, accepted, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { requireAdmin, requireRead } from './access.ts';
import { integer } from './fields.ts';
import { parse } from './parse.ts';
import { notFound } from './problem.ts';
import { projectOf } from './query.ts';
import { loadBalancerLimits } from './quota.ts';

const MAX_LIMIT = 2_000_000_000;
const Limit = integer(-1, MAX_LIMIT).nullish();

/** Two names have an older spelling that is still accepted. */
const UpdateQuota = z.strictObject({
  quota: z.strictObject({
    loadbalancer: Limit,
    load_balancer: Limit,
    listener: Limit,
    member: Limit,
    pool: Limit,
    healthmonitor: Limit,
    health_monitor: Limit,
    l7policy: Limit,
    l7rule: Limit,
  }),
});

export function quotaRoutes(world: World): Route[] {
  const one = '/quotas/{project}';
  const readableProject = ({ access, params }: ApiRequest): string => {
    const projectId = params['project'] ?? '';
    requireRead(access, projectId);
    return projectId;
  };
  return [
    {
      method: 'GET',
      template: '/quotas',
      handle: (request) => {
        const shownProject = projectOf(request);
        const changed = world.tables.quotas.where(({ id }) => id.startsWith(PREFIX));
        const quotas = changed
          .map(({ id }) => ({ project_id: id.slice(PREFIX.length) }))
          .filter(shownProject)
          .map(({ project_id }) => viewOverrides(world, project_id));
        return ok({ quotas, quotas_links: [] });
      },
    },
    {
      method: 'GET',
      template: one,
      handle: (request) => ok({ quota: withLegacyNames(loadBalancerLimits(world, readableProject(request))) }),
    },
    {
      method: 'GET',
      template: `${one}/default`,
      handle: (request) => {
        readableProject(request);
        return ok({ quota: withLegacyNames(world.config.quotas['load-balancer']) });
      },
    },
    { method: 'PUT', template: one, handle: (request) => update(world, request) },
    {
      method: 'DELETE',
      template: one,
      handle: ({ access, params }) => {
        const projectId = params['project'] ?? '';
        requireAdmin(access);
        if (!world.tables.quotas.has(PREFIX + projectId)) throw notFound('Quotas', projectId);
        world.tables.quotas.delete(PREFIX + projectId);
        return accepted;
      },
    },
  ];
}

const PREFIX = 'load-balancer/';

/**
 * The limits of a project in a list: values that differ from the defaults, under both spellings, and null for all
 * others.
 */
function viewOverrides(world: World, projectId: string): object {
  const own = world.tables.quotas.get(PREFIX + projectId)?.limits ?? {};
  const names = Object.keys(world.config.quotas['load-balancer']);
  return {
    ...Object.fromEntries(names.map((name) => [name, own[name] ?? null])),
    load_balancer: own['loadbalancer'] ?? null,
    health_monitor: own['healthmonitor'] ?? null,
    project_id: projectId,
    tenant_id: projectId,
  };
}

/** Zed returns a single project's quota only under the older spellings. */
function withLegacyNames({ loadbalancer, healthmonitor, ...others }: Readonly<Record<string, number>>): object {
  return { ...others, load_balancer: loadbalancer, health_monitor: healthmonitor };
}

/** Null resets a limit to its default. */
function update(world: World, { access, params, body }: ApiRequest): ApiResponse {
  requireAdmin(access);
  const { quota } = parse(UpdateQuota, body, 'quotas');
  const { load_balancer, health_monitor, ...named } = quota;
  const requested = {
    ...(load_balancer !== undefined && { loadbalancer: load_balancer }),
    ...(health_monitor !== undefined && { healthmonitor: health_monitor }),
    ...named,
  };
  const projectId = params['project'] ?? '';
  const id = PREFIX + projectId;
  const limits: Record<string, number> = { ...world.tables.quotas.get(id)?.limits };
  for (const [name, limit] of Object.entries(requested)) {
    if (limit === null) delete limits[name];
    else if (limit !== undefined) limits[name] = limit;
  }
  world.tables.quotas.put({ id, limits });
  return { ...accepted, body: { quota: withLegacyNames(loadBalancerLimits(world, projectId)) } };
}
