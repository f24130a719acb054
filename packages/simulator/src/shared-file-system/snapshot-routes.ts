import { type ApiRequest, type ApiResponse, ok, type Route } from '../http/api.ts';
import { isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import { nextLink, type SortKeys, sliceRows, sorted } from './list.ts';
import { metadataRoutes, readMetadata } from './metadata.ts';
import {
  badRequest,
  forbidden,
  notFound,
  requireAdmin,
  requireReaderRole,
  requireWriterRole,
  unexpectedError,
  unprocessableError,
} from './problem.ts';
import type { ShareSnapshot, ShareSnapshotStatus } from './records.ts';
import { linksTo, shareRoute, shareTime } from './route.ts';
import { resettableStatus, runAction } from './share-actions.ts';
import { bodyOf, text } from './share-create.ts';
import type { ShareLifecycle } from './share-lifecycle.ts';
import { visibleShare } from './share-lookup.ts';
import { requireSnapshotQuota } from './share-quota.ts';
import { ACCEPTED_RESPONSE } from './share-routes.ts';
import { isSet } from './share-types.ts';
import { findSnapshot } from './snapshot-lookup.ts';

const METADATA_MICROVERSION = 73;

export function shareSnapshotRoutes(world: World, lifecycle: ShareLifecycle): Route[] {
  return [
    shareRoute('GET', '/snapshots', (request) => list(world, request, false)),
    shareRoute('GET', '/snapshots/detail', (request) => list(world, request, true)),
    shareRoute('POST', '/snapshots', (request) => create(world, lifecycle, request)),
    shareRoute('GET', '/snapshots/{id}', (request) =>
      ok({ snapshot: detail(world, request, findSnapshot(world, request)) }),
    ),
    shareRoute('PUT', '/snapshots/{id}', (request) => update(world, request)),
    shareRoute('DELETE', '/snapshots/{id}', (request) => {
      const snapshot = findSnapshot(world, request, 'write');
      if (snapshot.status !== 'available' && snapshot.status !== 'error') {
        throw badRequest("Invalid share snapshot: Share Snapshot status must be one of ('available', 'error').");
      }
      lifecycle.beginSnapshot({ ...snapshot, status: 'deleting' }, 'delete');
      return ACCEPTED_RESPONSE;
    }),
    shareRoute('POST', '/snapshots/{id}/action', (request) =>
      runAction(request, {
        reset_status: [
          ({ access }, { status }) => {
            requireAdmin(access);
            // Snapshots do not support migration states; such a status is stored as is.
            const requested = resettableStatus(status) as ShareSnapshotStatus;
            lifecycle.settleSnapshot({ ...findSnapshot(world, request), status: requested });
            return ACCEPTED_RESPONSE;
          },
        ],
        force_delete: [
          ({ access }) => {
            requireAdmin(access);
            lifecycle.beginSnapshot({ ...findSnapshot(world, request), status: 'deleting' }, 'delete');
            return ACCEPTED_RESPONSE;
          },
        ],
      }),
    ),
    ...metadataRoutes<ShareSnapshot>({
      collection: 'snapshots',
      since: METADATA_MICROVERSION,
      find: (request, verb) => findSnapshot(world, request, verb),
      labelsOf: ({ metadata }) => metadata,
      store: (snapshot, metadata) => world.tables.shareSnapshots.put({ ...snapshot, metadata }),
    }),
  ];
}

function summary(request: ApiRequest, { id, name }: ShareSnapshot): object {
  return { id, name, links: linksTo(request, `snapshots/${id}`) };
}

function detail({ tables }: World, request: ApiRequest, snapshot: ShareSnapshot): object {
  const { microversion, access } = request;
  return {
    id: snapshot.id,
    share_id: snapshot.shareId,
    share_size: tables.shares.get(snapshot.shareId)?.sizeGiB ?? snapshot.sizeGiB,
    created_at: shareTime(snapshot.createdMs),
    status: snapshot.status,
    name: snapshot.name,
    description: snapshot.description,
    size: snapshot.sizeGiB,
    share_proto: snapshot.protocol,
    links: linksTo(request, `snapshots/${snapshot.id}`),
    ...(microversion >= 12 && isAdmin(access) && { provider_location: `/snapshots/${snapshot.id}` }),
    ...(microversion >= 17 && { user_id: snapshot.userId, project_id: snapshot.projectId }),
    ...(microversion >= METADATA_MICROVERSION && { metadata: snapshot.metadata }),
  };
}

const SORT_KEYS: SortKeys<ShareSnapshot> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  display_name: ({ name }) => name,
  status: ({ status }) => status,
  share_id: ({ shareId }) => shareId,
  size: ({ sizeGiB }) => sizeGiB,
  created_at: ({ createdMs }) => createdMs,
};

const FILTERS: Readonly<Record<string, (snapshot: ShareSnapshot) => string | null>> = {
  name: ({ name }) => name,
  display_name: ({ name }) => name,
  status: ({ status }) => status,
  share_id: ({ shareId }) => shareId,
  size: ({ sizeGiB }) => String(sizeGiB),
};

function list(world: World, request: ApiRequest, isDetail: boolean): ApiResponse {
  const { access, query } = request;
  requireReaderRole(access);
  sliceRows(request, []);
  const isAll = isAdmin(access) && /^(1|t|true|on|y|yes)$/i.test(query.get('all_tenants') ?? '');
  const rows = world.tables.shareSnapshots.where(
    (snapshot) =>
      (isAll || snapshot.projectId === access.projectId) &&
      Object.entries(FILTERS).every(([name, field]) => !query.has(name) || field(snapshot) === query.get(name)) &&
      includes(snapshot.name, query.get('name~')) &&
      includes(snapshot.description, query.get('description~')),
  );
  const response = sliceRows(request, sorted(request, rows, SORT_KEYS));
  const links = nextLink(request, 'snapshots', response);
  return ok({
    snapshots: response.map((snapshot) => (isDetail ? detail(world, request, snapshot) : summary(request, snapshot))),
    ...(links.length > 0 && { share_snapshots_links: links }),
  });
}

function includes(text: string | null, part: string | null): boolean {
  return part === null || text?.toLowerCase().includes(part.toLowerCase()) === true;
}

function create(world: World, lifecycle: ShareLifecycle, request: ApiRequest): ApiResponse {
  const { access, microversion } = request;
  const fields = bodyOf(request.body, 'snapshot');
  const { share_id } = fields;
  if (typeof share_id !== 'string') throw unexpectedError();
  const share = visibleShare(world, access, share_id);
  if (share === undefined) throw notFound('NotFound: Resource could not be found.');
  requireWriterRole(access);
  if (share.projectId !== access.projectId && !isAdmin(access)) throw forbidden();
  if (!isSet(world.tables.shareTypes.get(share.typeId), 'snapshot_support')) {
    throw unprocessableError(
      `Snapshots cannot be created for share '${share_id}' since it does not have that capability.`,
    );
  }
  if (share.status !== 'available') {
    throw badRequest('Invalid share: Source share status must be available.');
  }
  requireSnapshotQuota(world, access.projectId, share.sizeGiB);
  const includesMetadata = microversion >= METADATA_MICROVERSION && fields['metadata'] != null;
  const snapshot = lifecycle.beginSnapshot(
    {
      id: world.ids.uuid(),
      shareId: share.id,
      name: text(fields['name'] ?? fields['display_name']),
      description: text(fields['description'] ?? fields['display_description']),
      projectId: access.projectId,
      userId: access.userId,
      createdMs: world.clock.now(),
      status: 'creating',
      sizeGiB: share.sizeGiB,
      protocol: share.protocol,
      metadata: includesMetadata ? readMetadata(fields) : {},
      pending: null,
    },
    'create',
  );
  return { status: 202, body: { snapshot: detail(world, request, snapshot) } };
}

function update(world: World, request: ApiRequest): ApiResponse {
  const fields = (request.body as Readonly<Record<string, unknown>> | null | undefined)?.['snapshot'];
  if (typeof fields !== 'object' || fields === null) throw unprocessableError();
  const before = findSnapshot(world, request, 'write');
  const { display_name, display_description } = fields as Readonly<Record<string, unknown>>;
  const snapshot = world.tables.shareSnapshots.put({
    ...before,
    name: display_name === undefined ? before.name : text(display_name),
    description: display_description === undefined ? before.description : text(display_description),
  });
  return ok({ snapshot: detail(world, request, snapshot) });
}
