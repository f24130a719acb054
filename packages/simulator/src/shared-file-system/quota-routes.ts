import { type ApiRequest, type ApiResponse, ok, type Route } from '../http/api.ts';
import { canSee } from '../identity/access.ts';
import type { World } from '../world.ts';
import { plain } from './list.ts';
import { badRequest, forbidden, requireAdmin, requireReaderRole } from './problem.ts';
import { renamedRoute, shareRoute } from './route.ts';
import { shareLimits, shareQuotaId, shareUsage } from './share-quota.ts';
import { ACCEPTED_RESPONSE } from './share-routes.ts';

/** The limits with the first microversion that returns each. */
const QUOTA_NAMES: Readonly<Record<string, number>> = {
  shares: 0,
  gigabytes: 0,
  snapshots: 0,
  snapshot_gigabytes: 0,
  share_networks: 0,
  share_groups: 40,
  share_group_snapshots: 40,
  share_replicas: 53,
  replica_gigabytes: 53,
  per_share_gigabytes: 62,
};

/** Routes for the limits of projects, which are returned in Manila's order. */
export function shareQuotaRoutes(world: World): Route[] {
  const paths = (suffix = ''): readonly [string, string] => [
    `/os-quota-sets/{target}${suffix}`,
    `/quota-sets/{target}${suffix}`,
  ];
  return [
    ...renamedRoute('GET', paths(), (request) => {
      const id = visibleProject(request);
      return ok({ quota_set: { id, ...quotaFields(request, shareLimits(world, id)) } });
    }),
    ...renamedRoute('GET', paths('/defaults'), (request) => {
      const id = visibleProject(request);
      return ok({ quota_set: { id, ...quotaFields(request, defaults(world)) } });
    }),
    shareRoute('GET', '/quota-sets/{target}/detail', (request) => showDetail(world, request), { since: 25 }),
    ...renamedRoute('PUT', paths(), (request) => update(world, request)),
    ...renamedRoute('DELETE', paths(), ({ access, params }) => {
      requireAdmin(access);
      world.tables.quotas.delete(shareQuotaId(params['target'] ?? ''));
      return ACCEPTED_RESPONSE;
    }),
    ...renamedRoute('GET', ['/os-quota-class-sets/{class}', '/quota-class-sets/{class}'], (request) => {
      requireAdmin(request.access);
      return ok({ quota_class_set: { id: request.params['class'] ?? '', ...quotaFields(request, defaults(world)) } });
    }),
    shareRoute('GET', '/limits', (request) => showLimits(world, request)),
  ];
}

function defaults({ config }: World): Record<string, number> {
  return { ...config.quotas['shared-file-system'] };
}

function visibleProject({ access, params }: ApiRequest): string {
  const id = params['target'] ?? '';
  if (!canSee(access, id)) throw forbidden();
  requireReaderRole(access);
  return id;
}

/** The limits that a microversion returns. */
function quotaFields<V>(
  { microversion }: ApiRequest,
  values: Readonly<Record<string, V>>,
): Record<string, V | undefined> {
  const names = Object.entries(QUOTA_NAMES).filter(([, since]) => microversion >= since);
  return Object.fromEntries(names.map(([name]) => [name, values[name]]));
}

function showDetail(world: World, request: ApiRequest): ApiResponse {
  const id = visibleProject(request);
  const used = shareUsage(world, id);
  const details = Object.fromEntries(
    Object.entries(shareLimits(world, id)).map(([name, limit]) => [
      name,
      { limit, in_use: used[name] ?? 0, reserved: 0 },
    ]),
  );
  return ok({ quota_set: { id, ...quotaFields(request, details) } });
}

function update(world: World, request: ApiRequest): ApiResponse {
  requireAdmin(request.access);
  const id = request.params['target'] ?? '';
  const body = ((request.body ?? {}) as Readonly<Record<string, unknown>>)['quota_set'] ?? {};
  const { force = false, ...fields } = body as Readonly<Record<string, unknown>>;
  const known = Object.entries(fields).filter(([name]) => name in quotaFields(request, QUOTA_NAMES));
  if (known.length === 0) throw badRequest('Must supply at least one quota field to update.');
  const used = shareUsage(world, id);
  const limits: Record<string, number> = {};
  for (const [name, value] of known) {
    const limit = limitOf(name, value);
    const usage = used[name] ?? 0;
    if (limit >= 0 && limit < usage && force !== true && plain(force).toLowerCase() !== 'true') {
      throw badRequest(`Quota value ${limit} for ${name} is smaller than already used and reserved ${usage}.`);
    }
    limits[name] = limit;
  }
  const { quotas } = world.tables;
  quotas.put({ id: shareQuotaId(id), limits: { ...quotas.get(shareQuotaId(id))?.limits, ...limits } });
  return ok({ quota_set: quotaFields(request, shareLimits(world, id)) });
}

function limitOf(name: string, value: unknown): number {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  if (!/^[+-]?\d{1,9}$/.test(text)) throw badRequest(`Quota '${plain(value)}' for ${name} should be integer.`);
  const limit = Number(text);
  if (limit < -1) throw badRequest('Quota limit must be -1 or greater.');
  return limit;
}

/** Names in `limits` that differ from those in quota sets: the limit and its usage. */
const ABSOLUTE_LIMITS: Readonly<Record<string, readonly [limit: string, used: string]>> = {
  shares: ['maxTotalShares', 'totalSharesUsed'],
  snapshots: ['maxTotalShareSnapshots', 'totalShareSnapshotsUsed'],
  gigabytes: ['maxTotalShareGigabytes', 'totalShareGigabytesUsed'],
  snapshot_gigabytes: ['maxTotalSnapshotGigabytes', 'totalSnapshotGigabytesUsed'],
  share_networks: ['maxTotalShareNetworks', 'totalShareNetworksUsed'],
  share_groups: ['maxTotalShareGroups', 'totalShareGroupsUsed'],
  share_group_snapshots: ['maxTotalShareGroupSnapshots', 'totalShareGroupSnapshotsUsed'],
  share_replicas: ['maxTotalShareReplicas', 'totalShareReplicasUsed'],
  replica_gigabytes: ['maxTotalReplicaGigabytes', 'totalReplicaGigabytesUsed'],
};

/** For replicas and groups, `limits` has different minimum microversions from quota sets. */
const ABSOLUTE_LIMITS_SINCE: Readonly<Record<string, number>> = {
  share_groups: 58,
  share_group_snapshots: 58,
  share_replicas: 53,
  replica_gigabytes: 53,
};

function showLimits(world: World, request: ApiRequest): ApiResponse {
  const { access, microversion } = request;
  requireReaderRole(access);
  const [limits, used] = [shareLimits(world, access.projectId), shareUsage(world, access.projectId)];
  const names = Object.entries(ABSOLUTE_LIMITS).filter(([name]) => microversion >= (ABSOLUTE_LIMITS_SINCE[name] ?? 0));
  return ok({
    limits: {
      rate: [],
      absolute: Object.fromEntries([
        ...names.map(([name, [limit]]) => [limit, limits[name]]),
        ...names.map(([name, [, usageName]]) => [usageName, used[name] ?? 0]),
      ]),
    },
  });
}
