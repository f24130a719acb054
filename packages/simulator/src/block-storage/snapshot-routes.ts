import { z } from 'zod';
import { type ApiRequest, type ApiResponse, accepted, ok, type Route } from '../http/api.ts';
import { parseBody } from '../http/parse-body.ts';
import { canSee } from '../identity/access.ts';
import type { World } from '../world.ts';
import { metadataRoutes } from './metadata-routes.ts';
import { badRequest, invalidVolume, notFound, requireAdmin, requireReaderRole, requireWriterRole } from './problem.ts';
import type { Snapshot } from './records.ts';
import type { VolumeLifecycle } from './volume-lifecycle.ts';
import { type Listing, page } from './volume-list.ts';
import { requireVolumeQuota } from './volume-quota.ts';
import { volumeRoute } from './volume-route.ts';
import { findVolume } from './volume-routes.ts';
import { Flag, isSet, Label, Metadata, trimmed, Uuid } from './volume-schema.ts';
import { snapshotDetail, snapshotResponse, snapshotSummary } from './volume-view.ts';

/** Since this microversion, snapshots of volumes in use can be taken without force. */
const IN_USE_MICROVERSION = 66;

const Create = z.strictObject({
  snapshot: z.strictObject({
    volume_id: Uuid,
    name: Label,
    display_name: Label,
    description: Label,
    force: Flag.optional(),
    metadata: Metadata.nullish(),
  }),
});
const Update = z.strictObject({
  snapshot: z
    .strictObject({ name: Label, description: Label, display_name: Label, display_description: Label })
    .refine((snapshot) => Object.keys(snapshot).length > 0),
});

export function snapshotRoutes(world: World, lifecycle: VolumeLifecycle): Route[] {
  const find = (request: ApiRequest): Snapshot => findSnapshot(world, request);
  const findForChange = (request: ApiRequest, rule: string): Snapshot => {
    const snapshot = findSnapshot(world, request);
    requireWriterRole(request.access, rule);
    return snapshot;
  };
  return [
    ...volumeRoute('GET', '/snapshots', (request) => list(world, request, false)),
    ...volumeRoute('GET', '/snapshots/detail', (request) => list(world, request, true)),
    ...volumeRoute('POST', '/snapshots', (request) => create(world, lifecycle, request)),
    ...volumeRoute('GET', '/snapshots/{id}', (request) => ok({ snapshot: snapshotResponse(request, find(request)) })),
    ...volumeRoute('PUT', '/snapshots/{id}', (request) => {
      const before = findForChange(request, 'volume:update_snapshot');
      const { snapshot: body } = parseBody(Update, request.body);
      const name = body.name === undefined ? body.display_name : body.name;
      const description = body.description === undefined ? body.display_description : body.description;
      const snapshot = world.tables.snapshots.put({
        ...before,
        name: name === undefined ? before.name : trimmed(name),
        description: description === undefined ? before.description : trimmed(description),
        updatedMs: world.clock.now(),
      });
      return ok({ snapshot: snapshotDetail(request, snapshot) });
    }),
    ...volumeRoute('DELETE', '/snapshots/{id}', (request) => {
      const snapshot = findForChange(request, 'volume:delete_snapshot');
      if (snapshot.status !== 'available' && snapshot.status !== 'error') {
        throw badRequest(
          'Invalid snapshot: Snapshot status must be available or error and must not be part of a group.',
        );
      }
      lifecycle.beginSnapshot({ ...snapshot, status: 'deleting' }, 'delete');
      return accepted;
    }),
    ...volumeRoute('POST', '/snapshots/{id}/action', (request) => act(world, lifecycle, request)),
    ...metadataRoutes<Snapshot>({
      collection: 'snapshots',
      noun: 'Snapshot',
      find,
      findForChange: (request, verb) =>
        findForChange(request, `volume:${verb === 'create' ? 'update' : verb}_snapshot_metadata`),
      store: (snapshot, metadata) => {
        world.tables.snapshots.put({ ...snapshot, metadata, updatedMs: world.clock.now() });
      },
    }),
  ];
}

function findSnapshot(world: World, { access, params }: ApiRequest): Snapshot {
  const id = params['id'] ?? '';
  const snapshot = world.tables.snapshots.get(id);
  if (snapshot === undefined || !canSee(access, snapshot.projectId)) {
    throw notFound(`Snapshot ${id} could not be found.`);
  }
  requireReaderRole(access, 'volume:get_snapshot');
  return snapshot;
}

const FILTERS: Listing<Snapshot>['filters'] = {
  name: ({ name }) => name ?? '',
  status: ({ status }) => status,
  volume_id: ({ volumeId }) => volumeId,
  metadata: ({ metadata }) => metadata,
  consumes_quota: () => 'true',
};

const SORT_KEYS: Listing<Snapshot>['sortKeys'] = {
  id: ({ id }) => id,
  name: ({ name }) => name ?? '',
  display_name: ({ name }) => name ?? '',
  status: ({ status }) => status,
  volume_id: ({ volumeId }) => volumeId,
  created_at: ({ createdMs }) => createdMs,
  updated_at: ({ updatedMs }) => updatedMs ?? 0,
};

function list(world: World, request: ApiRequest, isDetail: boolean): ApiResponse {
  requireReaderRole(request.access, 'volume:get_all_snapshots');
  return page(request, {
    name: 'snapshots',
    path: isDetail ? 'snapshots/detail' : 'snapshots',
    rows: [...world.tables.snapshots.values()],
    projectOf: ({ projectId }) => projectId,
    idOf: ({ id }) => id,
    filters: {
      ...FILTERS,
      availability_zone: ({ volumeId }) => world.tables.volumes.get(volumeId)?.zone ?? '',
    },
    sortKeys: SORT_KEYS,
    view: (snapshot) => (isDetail ? snapshotResponse(request, snapshot) : snapshotSummary(snapshot)),
  });
}

function create(world: World, lifecycle: VolumeLifecycle, request: ApiRequest): ApiResponse {
  const { access, microversion } = request;
  const { snapshot: body } = parseBody(Create, request.body);
  const volume = findVolume(world, request, body.volume_id);
  requireWriterRole(access, 'volume:create_snapshot');
  if (microversion >= IN_USE_MICROVERSION && body.force !== undefined && !isSet(body.force)) {
    throw badRequest(
      `Since microversion 3.${IN_USE_MICROVERSION} the 'force' flag is invalid for this request.  For backward compatability, however, when the 'force' flag is passed with a value evaluating to True, it is silently ignored.`,
    );
  }
  if (volume.status === 'error') {
    throw invalidVolume('The snapshot cannot be created when the volume is in error status.');
  }
  const allowed = isSet(body.force) || microversion >= IN_USE_MICROVERSION ? ['available', 'in-use'] : ['available'];
  if (!allowed.includes(volume.status)) {
    throw invalidVolume(
      `Volume ${volume.id} status must be ${allowed.join(', ')}, but current status is: ${volume.status}.`,
    );
  }
  const { sizeGiB, typeId } = volume;
  requireVolumeQuota(world, access.projectId, { resource: 'snapshots', sizeGiB, typeId });
  const row = lifecycle.beginSnapshot(
    {
      id: world.ids.uuid(),
      name: trimmed(body.name ?? body.display_name),
      description: trimmed(body.description),
      projectId: access.projectId,
      userId: access.userId,
      volumeId: volume.id,
      typeId,
      sizeGiB,
      status: 'creating',
      createdMs: world.clock.now(),
      updatedMs: null,
      metadata: body.metadata ?? {},
      pending: null,
    },
    'create',
  );
  return { status: 202, body: { snapshot: snapshotDetail(request, row) } };
}

const RESETTABLE_STATUSES = ['creating', 'available', 'deleting', 'error', 'error_deleting'] as const;

function act(world: World, lifecycle: VolumeLifecycle, request: ApiRequest): ApiResponse {
  const body = request.body as Readonly<Record<string, unknown>> | undefined;
  const [name] = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  const snapshot = findSnapshot(world, request);
  if (name === 'os-reset_status') {
    requireAdmin(request.access, 'volume_extension:snapshot_admin_actions:reset_status');
    const { status } = parseBody(z.strictObject({ status: z.enum(RESETTABLE_STATUSES) }), body?.[name]);
    lifecycle.settleSnapshot({ ...snapshot, status });
    return accepted;
  }
  if (name === 'os-force_delete') {
    requireAdmin(request.access, 'volume_extension:snapshot_admin_actions:force_delete');
    lifecycle.beginSnapshot({ ...snapshot, status: 'deleting' }, 'delete');
    return accepted;
  }
  throw badRequest(
    `There is no such action: ${name ?? ''}. Verify the request body and Content-Type header and try again.`,
  );
}
