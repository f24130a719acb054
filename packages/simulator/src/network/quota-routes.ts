import { z } from 'zod';
import { ApiError, type ApiRequest, type ApiResponse, noContent, ok, type Route } from '../http/api.ts';
import { canSee, isAdmin } from '../identity/access.ts';
import type { Table } from '../state/table.ts';
import type { World } from '../world.ts';
import { parseAttributes } from './parse.ts';
import { badRequest, disallowed } from './problem.ts';
import { networkLimits } from './quota.ts';
import type { Resource } from './records.ts';

const Limits = z.record(z.string(), z.coerce.number().int().min(-1));

export function networkQuotaRoutes(world: World): Route[] {
  const template = '/v2.0/quotas';
  const seen = (request: ApiRequest): string => {
    const projectId = request.params['project'] ?? '';
    if (!canSee(request.access, projectId)) {
      throw new ApiError(
        403,
        'User does not have admin privileges: Only admin is authorized to access quotas for another project.',
        { type: 'AdminRequired' },
      );
    }
    return projectId;
  };
  return [
    {
      method: 'GET',
      template,
      handle: ({ access }) => {
        if (!isAdmin(access)) throw disallowed('get_quota');
        const changed = world.tables.quotas.where((quota) => quota.id.startsWith('network/'));
        const quotas = changed.map(({ id }) => {
          const projectId = id.slice('network/'.length);
          return { ...networkLimits(world, projectId), project_id: projectId, tenant_id: projectId };
        });
        return ok({ quotas });
      },
    },
    {
      method: 'GET',
      template: `${template}/{project}`,
      handle: (request) => ok({ quota: networkLimits(world, seen(request)) }),
    },
    {
      method: 'GET',
      template: `${template}/{project}/default`,
      handle: () => ok({ quota: world.config.quotas.network }),
    },
    {
      method: 'GET',
      template: `${template}/{project}/details`,
      handle: (request) => ok({ quota: details(world, seen(request)) }),
    },
    {
      method: 'GET',
      template: `${template}/{project}/details.json`,
      handle: (request) => ok({ quota: details(world, seen(request)) }),
    },
    { method: 'PUT', template: `${template}/{project}`, handle: (request) => update(world, request) },
    {
      method: 'DELETE',
      template: `${template}/{project}`,
      handle: ({ access, params }) => {
        if (!isAdmin(access)) throw disallowed('delete_quota');
        world.tables.quotas.delete(`network/${params['project'] ?? ''}`);
        return noContent;
      },
    },
  ];
}

function update(world: World, { access, params, body }: ApiRequest): ApiResponse {
  if (!isAdmin(access)) throw disallowed('update_quota');
  const projectId = params['project'] ?? '';
  const { quota } = parseAttributes(z.object({ quota: Limits }), body ?? {});
  const unknown = Object.keys(quota).find(
    (name) => !(name in world.config.quotas.network) && name !== 'force' && name !== 'check_limit',
  );
  if (unknown !== undefined) throw badRequest(`Unrecognized attribute(s) '${unknown}'`);
  const id = `network/${projectId}`;
  world.tables.quotas.put({ id, limits: { ...world.tables.quotas.get(id)?.limits, ...quota } });
  return ok({ quota: networkLimits(world, projectId) });
}

function details(world: World, projectId: string): object {
  const { tables } = world;
  const counted: Readonly<Record<string, Pick<Table<Resource>, 'where'>>> = {
    network: tables.networks,
    subnet: tables.subnets,
    port: tables.ports,
    router: tables.routers,
    floatingip: tables.floatingIps,
    security_group: tables.securityGroups,
    security_group_rule: tables.securityGroupRules,
  };
  return Object.fromEntries(
    Object.entries(networkLimits(world, projectId)).map(([name, limit]) => [
      name,
      { limit, used: counted[name]?.where((row) => row.project_id === projectId).length ?? 0, reserved: 0 },
    ]),
  );
}
