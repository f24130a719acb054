import { type ApiRequest, type ApiResponse, accepted, ok, type Route } from '../http/api.ts';
import { parseBody } from '../http/parse-body.ts';
import { canSee } from '../identity/access.ts';
import type { World } from '../world.ts';
import { metadataRoutes } from './metadata-routes.ts';
import { badRequest, invalidVolume, notFound, requireAdmin, requireReaderRole, requireWriterRole } from './problem.ts';
import type { Volume } from './records.ts';
import { createVolume } from './volume-create.ts';
import type { VolumeLifecycle } from './volume-lifecycle.ts';
import { type Listing, page } from './volume-list.ts';
import { volumeRoute } from './volume-route.ts';
import { isSet, trimmed, UpdateVolume } from './volume-schema.ts';
import { volumeDetail, volumeResponse, volumeSummary } from './volume-view.ts';

/** Since this microversion, a volume can be force-deleted. */
const FORCE_DELETE_MICROVERSION = 23;
/** Since this microversion, an update must contain at least one field. */
const STRICT_UPDATE_MICROVERSION = 53;
const SUMMARY_MICROVERSION = 12;
const SUMMARY_METADATA_MICROVERSION = 36;

/** The volume; throws 404 if it does not exist for the caller. */
export function findVolume(world: World, { access }: ApiRequest, id: string): Volume {
  const volume = world.tables.volumes.get(id);
  if (volume === undefined || !canSee(access, volume.projectId)) throw notFound(`Volume ${id} could not be found.`);
  requireReaderRole(access, 'volume:get');
  return volume;
}

/** The volume to be changed. Throws 403 if the caller may not write, naming the policy rule. */
export function findVolumeForChange(world: World, request: ApiRequest, rule: string): Volume {
  const volume = findVolume(world, request, request.params['id'] ?? '');
  requireWriterRole(request.access, rule);
  return volume;
}

export function volumeRoutes(world: World, lifecycle: VolumeLifecycle): Route[] {
  const find = (request: ApiRequest): Volume => findVolume(world, request, request.params['id'] ?? '');
  return [
    ...volumeRoute('GET', '/volumes', (request) => list(world, request, false)),
    ...volumeRoute('GET', '/volumes/detail', (request) => list(world, request, true)),
    ...volumeRoute('GET', '/volumes/summary', (request) => summarize(world, request), SUMMARY_MICROVERSION),
    ...volumeRoute('POST', '/volumes', (request) => createVolume(world, lifecycle, request)),
    ...volumeRoute('GET', '/volumes/{id}', (request) => ok({ volume: volumeResponse(world, request, find(request)) })),
    ...volumeRoute('PUT', '/volumes/{id}', (request) => update(world, request)),
    ...volumeRoute('DELETE', '/volumes/{id}', (request) => remove(world, lifecycle, request)),
    ...metadataRoutes<Volume>({
      collection: 'volumes',
      noun: 'Volume',
      find,
      findForChange: (request, verb) => {
        const volume = findVolumeForChange(world, request, `volume:${verb}_volume_metadata`);
        if (volume.status !== 'maintenance') return volume;
        const action = verb === 'delete' ? 'Deleting' : 'Updating';
        throw invalidVolume(`${action} volume metadata is not allowed for volumes in ${volume.status} status.`);
      },
      store: (volume, metadata) => {
        world.tables.volumes.put({ ...volume, metadata, updatedMs: world.clock.now() });
      },
    }),
  ];
}

const FILTERS: Listing<Volume>['filters'] = {
  name: ({ name }) => name ?? '',
  status: ({ status }) => status,
  metadata: ({ metadata }) => metadata,
  bootable: ({ isBootable }) => String(isBootable),
  migration_status: () => '',
  availability_zone: ({ zone }) => zone,
  group_id: () => '',
  size: ({ sizeGiB }) => String(sizeGiB),
  consumes_quota: () => 'true',
};

const SORT_KEYS: Listing<Volume>['sortKeys'] = {
  id: ({ id }) => id,
  name: ({ name }) => name ?? '',
  display_name: ({ name }) => name ?? '',
  status: ({ status }) => status,
  size: ({ sizeGiB }) => sizeGiB,
  availability_zone: ({ zone }) => zone,
  bootable: ({ isBootable }) => String(isBootable),
  created_at: ({ createdMs }) => createdMs,
  updated_at: ({ updatedMs }) => updatedMs ?? 0,
};

function list(world: World, request: ApiRequest, isDetail: boolean): ApiResponse {
  requireReaderRole(request.access, 'volume:get_all');
  return page(request, {
    name: 'volumes',
    path: isDetail ? 'volumes/detail' : 'volumes',
    rows: [...world.tables.volumes.values()],
    projectOf: ({ projectId }) => projectId,
    idOf: ({ id }) => id,
    filters: FILTERS,
    sortKeys: SORT_KEYS,
    view: (volume) => (isDetail ? volumeResponse(world, request, volume) : volumeSummary(request, volume)),
  });
}

function summarize(world: World, request: ApiRequest): ApiResponse {
  const { access, microversion } = request;
  requireReaderRole(access, 'volume:get_all');
  const ownRows = world.tables.volumes.where(({ projectId }) => projectId === access.projectId);
  const values = new Map<string, Set<string>>();
  for (const { metadata } of ownRows) {
    for (const [key, value] of Object.entries(metadata)) values.set(key, (values.get(key) ?? new Set()).add(value));
  }
  return ok({
    'volume-summary': {
      total_count: ownRows.length,
      total_size: ownRows.reduce((sum, { sizeGiB }) => sum + sizeGiB, 0),
      ...(microversion >= SUMMARY_METADATA_MICROVERSION
        ? { metadata: Object.fromEntries([...values].map(([key, set]) => [key, [...set]])) }
        : {}),
    },
  });
}

function update(world: World, request: ApiRequest): ApiResponse {
  const before = findVolumeForChange(world, request, 'volume:update');
  const { volume: body } = parseBody(UpdateVolume, request.body);
  if (request.microversion >= STRICT_UPDATE_MICROVERSION && Object.keys(body).length === 0) {
    throw badRequest(
      'Invalid input for field/attribute volume. Value: {}. {} is not valid under any of the given schemas',
    );
  }
  if (before.status === 'maintenance') throw invalidVolume('The volume cannot be updated during maintenance.');
  const name = body.name === undefined ? body.display_name : body.name;
  const description = body.description === undefined ? body.display_description : body.description;
  const volume = world.tables.volumes.put({
    ...before,
    name: name === undefined ? before.name : trimmed(name),
    description: description === undefined ? before.description : trimmed(description),
    metadata: body.metadata ?? before.metadata,
    updatedMs: world.clock.now(),
  });
  return ok({ volume: volumeDetail(world, request, volume) });
}

function remove(world: World, lifecycle: VolumeLifecycle, request: ApiRequest): ApiResponse {
  const { query, microversion, access } = request;
  const volume = findVolumeForChange(world, request, 'volume:delete');
  const isForced = microversion >= FORCE_DELETE_MICROVERSION && isSet(flagOf(query.get('force')));
  if (isForced) requireAdmin(access, 'volume:force_delete');
  deleteVolume(world, lifecycle, volume, { isForced, isCascade: isSet(flagOf(query.get('cascade'))) });
  return accepted;
}

function flagOf(text: string | null): 'true' | 'false' {
  return /^(1|t|true|on|y|yes)$/i.test(text ?? '') ? 'true' : 'false';
}

const DELETABLE_STATUSES: ReadonlySet<string> = new Set(['available', 'error', 'error_extending']);
const DELETABLE_SNAPSHOT_STATUSES: ReadonlySet<string> = new Set(['available', 'error', 'deleting']);

/** Starts deleting a volume, with its snapshots on request; throws Cinder's 400 if its state does not allow it. */
export function deleteVolume(
  world: World,
  lifecycle: VolumeLifecycle,
  volume: Volume,
  { isForced = false, isCascade = false }: { readonly isForced?: boolean; readonly isCascade?: boolean } = {},
): void {
  const snapshots = world.indexes.snapshotsByVolume.of(volume.id);
  const isAttached = world.indexes.attachmentsByVolume.of(volume.id).some(({ status }) => status === 'attached');
  const hasHeldSnapshots = isCascade
    ? !isForced && snapshots.some(({ status }) => !DELETABLE_SNAPSHOT_STATUSES.has(status))
    : snapshots.length > 0;
  if (isAttached || hasHeldSnapshots || (!isForced && !DELETABLE_STATUSES.has(volume.status))) {
    const states = isForced
      ? ''
      : 'status must be available or error or error_restoring or error_extending or error_managing and ';
    throw invalidVolume(
      `Volume ${states}must not be migrating, attached, belong to a group, have snapshots, awaiting a transfer, or be disassociated from snapshots after volume transfer.`,
    );
  }
  for (const snapshot of snapshots) {
    if (snapshot.status !== 'deleting') lifecycle.beginSnapshot({ ...snapshot, status: 'deleting' }, 'delete');
  }
  for (const { id } of world.indexes.attachmentsByVolume.of(volume.id)) world.tables.attachments.delete(id);
  lifecycle.begin({ ...volume, status: 'deleting', previousStatus: null }, { step: 'delete' });
}
