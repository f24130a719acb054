import { type ApiRequest, type ApiResponse, ok } from '../http/api.ts';
import { isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import { exportPaths } from './export-locations.ts';
import { flag, includesMetadata, nextLink, pythonDict, type SortKeys, sliceRows, sorted } from './list.ts';
import { requireReaderRole } from './problem.ts';
import type { Share } from './records.ts';
import { shareDetail, shareSummary } from './share-view.ts';

const SORT_KEYS: SortKeys<Share> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  display_name: ({ name }) => name,
  status: ({ status }) => status,
  size: ({ sizeGiB }) => sizeGiB,
  share_proto: ({ protocol }) => protocol,
  project_id: ({ projectId }) => projectId,
  user_id: ({ userId }) => userId,
  snapshot_id: ({ snapshotId }) => snapshotId,
  is_public: ({ isPublic }) => isPublic,
  share_type_id: ({ typeId }) => typeId,
  availability_zone: ({ zone }) => zone,
  created_at: ({ createdMs }) => createdMs,
};

/** Filters on a field's exact value; unknown filters are ignored. */
const EXACT_FILTERS: Readonly<Record<string, (share: Share) => string | null>> = {
  name: ({ name }) => name,
  display_name: ({ name }) => name,
  status: ({ status }) => status,
  snapshot_id: ({ snapshotId }) => snapshotId,
  share_type_id: ({ typeId }) => typeId,
};

/** The first microversion that supports a filter; earlier ones ignore the filter. */
const VERSION_RANGE: Readonly<Record<string, number>> = {
  export_location_id: 35,
  export_location_path: 35,
  'name~': 36,
  'description~': 36,
  description: 36,
};
const COUNT_MICROVERSION = 42;
/** The recycle bin was added in this microversion; here it is always empty. */
const RECYCLE_BIN_MICROVERSION = 69;

export function listShares(world: World, request: ApiRequest, isDetail: boolean): ApiResponse {
  const { access, microversion, query } = request;
  requireReaderRole(access);
  sliceRows(request, []);
  const isAll = isAdmin(access) && isFlag(query.get('all_tenants'));
  const includesPublic = isFlag(query.get('is_public'));
  const expected = filtersOf(world, request);
  const isSoftDeleted = microversion >= RECYCLE_BIN_MICROVERSION && isFlag(query.get('is_soft_deleted'));
  const rows = world.tables.shares.where(
    (share) =>
      !isSoftDeleted &&
      (isAll || share.projectId === access.projectId || (includesPublic && share.isPublic)) &&
      expected.every((matches) => matches(share)),
  );
  const response = sliceRows(request, sorted(request, rows, SORT_KEYS));
  const includesCount = (microversion >= COUNT_MICROVERSION || isDetail) && query.get('with_count') !== null;
  const links = nextLink(request, 'shares', response);
  return ok({
    shares: response.map((share) => (isDetail ? shareDetail(world, request, share) : shareSummary(request, share))),
    ...(includesCount && flag(query.get('with_count')) && { count: rows.length }),
    ...(links.length > 0 && { shares_links: links }),
  });
}

function filtersOf(world: World, { access, microversion, query }: ApiRequest): ((share: Share) => boolean)[] {
  const expected: ((share: Share) => boolean)[] = [];
  for (const [name, value] of query) {
    if (microversion < (VERSION_RANGE[name] ?? 0)) continue;
    const field = Object.hasOwn(EXACT_FILTERS, name) ? EXACT_FILTERS[name] : undefined;
    if (field !== undefined) expected.push((share) => field(share) === value);
    else if (name === 'metadata') {
      const labels = pythonDict(value);
      expected.push((share) => includesMetadata(share.metadata, labels));
    } else if (name === 'extra_specs') {
      const specs = pythonDict(value);
      expected.push(({ typeId }) => includesMetadata(world.tables.shareTypes.get(typeId)?.extraSpecs ?? {}, specs));
    } else if (name === 'name~') expected.push((share) => includes(share.name, value));
    else if (name === 'description~') expected.push((share) => includes(share.description, value));
    else if (name === 'description') expected.push((share) => share.description === value);
    else if (name === 'project_id' && isAdmin(access)) expected.push((share) => share.projectId === value);
    else if (name === 'export_location_id')
      expected.push((share) => exportPaths(share, access).some(({ id }) => id === value));
    else if (name === 'export_location_path') {
      expected.push((share) => exportPaths(share, access).some(({ path }) => path === value));
    }
  }
  return expected;
}

function includes(text: string | null, part: string): boolean {
  return text?.toLowerCase().includes(part.toLowerCase()) === true;
}

function isFlag(text: string | null): boolean {
  return /^(1|t|true|on|y|yes)$/i.test(text ?? '');
}
