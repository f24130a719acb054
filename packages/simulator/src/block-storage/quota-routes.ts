import { z } from 'zod';
import { type ApiRequest, type ApiResponse, ok, type Route } from '../http/api.ts';
import { parseBody } from '../http/parse-body.ts';
import { canSee, isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import { badRequest, disallowed, invalidInput, requireAdmin, requireReaderRole } from './problem.ts';
import { defaultVolumeLimits, quotaId, volumeLimits, volumeUsage } from './volume-quota.ts';
import { volumeRoute } from './volume-route.ts';

/** Since this microversion, administrators can query the limits of other projects. */
const OTHER_LIMITS_MICROVERSION = 39;

export function volumeQuotaRoutes(world: World): Route[] {
  const template = '/os-quota-sets/{target}';
  return [
    ...volumeRoute('GET', template, (request) => show(world, request)),
    ...volumeRoute('GET', `${template}/defaults`, (request) => {
      const id = visibleProject(request);
      return ok({ quota_set: { ...defaultVolumeLimits(world), id } });
    }),
    ...volumeRoute('PUT', template, (request) => update(world, request)),
    ...volumeRoute('DELETE', template, ({ access, params }) => {
      requireAdmin(access, 'volume_extension:quotas:delete');
      world.tables.quotas.delete(quotaId(params['target'] ?? ''));
      return { status: 200 };
    }),
    ...volumeRoute('GET', '/os-quota-class-sets/{class}', ({ access, params }) => {
      requireAdmin(access, 'volume_extension:quota_classes:get');
      return ok({ quota_class_set: { ...defaultVolumeLimits(world), id: params['class'] ?? '' } });
    }),
    ...volumeRoute('GET', '/limits', (request) => showLimits(world, request)),
  ];
}

function visibleProject({ access, params }: ApiRequest): string {
  const id = params['target'] ?? '';
  if (!canSee(access, id)) throw disallowed('volume_extension:quotas:show');
  return id;
}

function show(world: World, request: ApiRequest): ApiResponse {
  const id = visibleProject(request);
  const limits = volumeLimits(world, id);
  const wantsUsage = /^(1|t|true|on|y|yes)$/i.test(request.query.get('usage') ?? '');
  if (!wantsUsage) return ok({ quota_set: { ...limits, id } });
  const used = volumeUsage(world, id);
  const details = Object.fromEntries(
    Object.entries(limits).map(([name, limit]) => [name, { limit, in_use: used[name] ?? 0, reserved: 0 }]),
  );
  return ok({ quota_set: { ...details, id } });
}

const MAX_LIMIT = 2 ** 31 - 1;
const Update = z.strictObject({
  quota_set: z
    .record(z.string(), z.union([z.coerce.number().int().min(-1).max(MAX_LIMIT), z.boolean(), z.string()]))
    .refine((set) => Object.keys(set).length > 0),
});
const NON_LIMIT_FIELDS: ReadonlySet<string> = new Set(['tenant_id', 'force', 'id', 'skip_validation']);

function update(world: World, request: ApiRequest): ApiResponse {
  requireAdmin(request.access, 'volume_extension:quotas:update');
  const id = request.params['target'] ?? '';
  const { quota_set: body } = parseBody(Update, request.body);
  const known = defaultVolumeLimits(world);
  const used = volumeUsage(world, id);
  const limits: Record<string, number> = {};
  const unknown = Object.keys(body).filter((name) => !NON_LIMIT_FIELDS.has(name) && !(name in known));
  if (unknown.length > 0) throw invalidInput(`Bad key(s) in quota set: ${unknown.join(', ')}`);
  for (const [name, limit] of Object.entries(body)) {
    if (NON_LIMIT_FIELDS.has(name)) continue;
    if (typeof limit !== 'number') throw invalidInput(`'${String(limit)}' is not an integer`);
    const usage = used[name] ?? 0;
    if (limit !== -1 && name !== 'per_volume_gigabytes' && limit < usage) {
      throw badRequest(
        `Quota ${name} limit must be equal or greater than existing resources. Current usage is ${usage} and the requested limit is ${limit}.`,
      );
    }
    limits[name] = limit;
  }
  const { quotas } = world.tables;
  quotas.put({ id: quotaId(id), limits: { ...quotas.get(quotaId(id))?.limits, ...limits } });
  return ok({ quota_set: volumeLimits(world, id) });
}

function showLimits(world: World, request: ApiRequest): ApiResponse {
  const { access, query, microversion } = request;
  requireReaderRole(access, 'limits_extension:used_limits');
  const mayQueryOthers = isAdmin(access) && microversion >= OTHER_LIMITS_MICROVERSION;
  const requestedProject = mayQueryOthers ? (query.get('project_id') ?? query.get('tenant_id')) : null;
  const projectId = requestedProject ?? access.projectId;
  const limits = volumeLimits(world, projectId);
  const used = volumeUsage(world, projectId);
  return ok({
    limits: {
      rate: [],
      absolute: {
        maxTotalVolumes: limits['volumes'],
        maxTotalSnapshots: limits['snapshots'],
        maxTotalVolumeGigabytes: limits['gigabytes'],
        maxTotalBackups: limits['backups'],
        maxTotalBackupGigabytes: limits['backup_gigabytes'],
        totalVolumesUsed: used['volumes'],
        totalGigabytesUsed: used['gigabytes'],
        totalSnapshotsUsed: used['snapshots'],
        totalBackupsUsed: 0,
        totalBackupGigabytesUsed: 0,
      },
    },
  });
}
