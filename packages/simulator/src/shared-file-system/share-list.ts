import { type ApiRequest, type ApiResponse, ok } from '../http/api.ts';
import { isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import { exportPaths } from './export-locations.ts';
import { flag, hasLabels, nextLink, pythonDict, type SortKeys, slice, sorted } from './list.ts';
import { requireReader } from './problem.ts';
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
const EXACT: Readonly<Record<string, (share: Share) => string | null>> = {
  name: ({ name }) => name,
  display_name: ({ name }) => name,
  status: ({ status }) => status,
  snapshot_id: ({ snapshotId }) => snapshotId,
  share_type_id: ({ typeId }) => typeId,
};

/** The first microversion with a filter; it is ignored before. */
const SINCE: Readonly<Record<string, number>> = {
  export_location_id: 35,
  export_location_path: 35,
  'name~': 36,
  'description~': 36,
  description: 36,
};
const COUNT_MICROVERSION = 42;
/** From this microversion there is a recycle bin, which is always empty here. */
const RECYCLE_BIN_MICROVERSION = 69;

export function listShares(world: World, request: ApiRequest, isDetail: boolean): ApiResponse {
  const { access, microversion, query } = request;
  requireReader(access);
  slice(request, []);
  const isAll = isAdmin(access) && isFlag(query.get('all_tenants'));
  const isPublicToo = isFlag(query.get('is_public'));
  const wanted = wantedOf(world, request);
  const isOfBin = microversion >= RECYCLE_BIN_MICROVERSION && isFlag(query.get('is_soft_deleted'));
  const rows = world.tables.shares.where(
    (share) =>
      !isOfBin &&
      (isAll || share.projectId === access.projectId || (isPublicToo && share.isPublic)) &&
      wanted.every((holds) => holds(share)),
  );
  const shown = slice(request, sorted(request, rows, SORT_KEYS));
  const isCounted = (microversion >= COUNT_MICROVERSION || isDetail) && query.get('with_count') !== null;
  const links = nextLink(request, 'shares', shown);
  return ok({
    shares: shown.map((share) => (isDetail ? shareDetail(world, request, share) : shareSummary(request, share))),
    ...(isCounted && flag(query.get('with_count')) && { count: rows.length }),
    ...(links.length > 0 && { shares_links: links }),
  });
}

function wantedOf(world: World, { access, microversion, query }: ApiRequest): ((share: Share) => boolean)[] {
  const wanted: ((share: Share) => boolean)[] = [];
  for (const [name, value] of query) {
    if (microversion < (SINCE[name] ?? 0)) continue;
    const field = Object.hasOwn(EXACT, name) ? EXACT[name] : undefined;
    if (field !== undefined) wanted.push((share) => field(share) === value);
    else if (name === 'metadata') {
      const labels = pythonDict(value);
      wanted.push((share) => hasLabels(share.metadata, labels));
    } else if (name === 'extra_specs') {
      const specs = pythonDict(value);
      wanted.push(({ typeId }) => hasLabels(world.tables.shareTypes.get(typeId)?.extraSpecs ?? {}, specs));
    } else if (name === 'name~') wanted.push((share) => includes(share.name, value));
    else if (name === 'description~') wanted.push((share) => includes(share.description, value));
    else if (name === 'description') wanted.push((share) => share.description === value);
    else if (name === 'project_id' && isAdmin(access)) wanted.push((share) => share.projectId === value);
    else if (name === 'export_location_id')
      wanted.push((share) => exportPaths(share, access).some(({ id }) => id === value));
    else if (name === 'export_location_path') {
      wanted.push((share) => exportPaths(share, access).some(({ path }) => path === value));
    }
  }
  return wanted;
}

function includes(text: string | null, part: string): boolean {
  return text?.toLowerCase().includes(part.toLowerCase()) === true;
}

function isFlag(text: string | null): boolean {
  return /^(1|t|true|on|y|yes)$/i.test(text ?? '');
}
