import { z } from 'zod';
import { noContent, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { Integer, readJson } from './body.ts';
import { page } from './list.ts';
import { requireAnyRole, requireServiceAdmin } from './policy.ts';
import { notFound, reportedIssue } from './problem.ts';
import { KEY_RESOURCES, keyLimits, keyQuotaId } from './quota.ts';

const Limit = Integer.optional();
const Quotas = z.strictObject({
  project_quotas: z.strictObject({ secrets: Limit, orders: Limit, containers: Limit, consumers: Limit, cas: Limit }),
});

const OPERATION = 'Project Quotas';

/** The effective limits of a project, and those set for projects. */
export function keyQuotaRoutes(world: World): Route[] {
  const { quotas } = world.tables;
  const template = '/v1/project-quotas/{project}';
  return [
    {
      method: 'GET',
      template: '/v1/quotas',
      handle({ access }) {
        requireAnyRole(access, 'Quotas');
        return ok({ quotas: keyLimits(world, access.projectId) });
      },
    },
    {
      method: 'GET',
      template: '/v1/project-quotas',
      handle(request) {
        requireServiceAdmin(request.access, OPERATION);
        const prefix = keyQuotaId('');
        return page(request, {
          name: 'project_quotas',
          rows: quotas.where(({ id }) => id.startsWith(prefix)),
          view: ({ id, limits }) => ({ project_id: id.slice(prefix.length), project_quotas: setLimits(limits) }),
        });
      },
    },
    {
      method: 'GET',
      template,
      handle({ access, params }) {
        requireServiceAdmin(access, OPERATION);
        const quota = quotas.get(keyQuotaId(params['project'] ?? ''));
        if (quota === undefined) throw notFound('Project quotas not found.');
        return ok({ project_quotas: setLimits(quota.limits) });
      },
    },
    {
      method: 'PUT',
      template,
      handle(request) {
        requireServiceAdmin(request.access, OPERATION);
        if (request.rawBody.length === 0) throw reportedIssue(OPERATION, 400, 'No data supplied to process.');
        const { project_quotas } = readJson(request, { name: 'Project Quota', schema: Quotas });
        const limits: Record<string, number> = {};
        for (const [name, limit] of Object.entries(project_quotas)) if (limit !== undefined) limits[name] = limit;
        quotas.put({ id: keyQuotaId(request.params['project'] ?? ''), limits });
        return noContent;
      },
    },
    {
      method: 'DELETE',
      template,
      handle({ access, params }) {
        requireServiceAdmin(access, OPERATION);
        const id = keyQuotaId(params['project'] ?? '');
        if (!quotas.has(id)) throw notFound('Project quotas not found.');
        quotas.delete(id);
        return noContent;
      },
    },
  ];
}

/** Limits that were set; null if the cloud's default applies. */
function setLimits(limits: Readonly<Record<string, number>>): object {
  return Object.fromEntries(KEY_RESOURCES.map((name) => [name, limits[name] ?? null]));
}
