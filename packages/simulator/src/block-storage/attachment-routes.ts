import { z } from 'zod';
import { type ApiRequest, type ApiResponse, noContent, ok, type Route } from '../http/api.ts';
import { parseBody } from '../http/parse-body.ts';
import { canSee } from '../identity/access.ts';
import type { World } from '../world.ts';
import { completeAttachment, connect, release, reserveAttachment } from './attachments.ts';
import { badRequest, conflict, notFound, requireReaderRole, requireWriterRole } from './problem.ts';
import type { Attachment } from './records.ts';
import { type Listing, page } from './volume-list.ts';
import { volumeRoute } from './volume-route.ts';
import { findVolume } from './volume-routes.ts';
import { Uuid } from './volume-schema.ts';
import { volumeTime } from './volume-view.ts';

const MIN_ATTACHMENT_MICROVERSION = 27;
const MIN_COMPLETE_MICROVERSION = 44;
const MIN_MODE_MICROVERSION = 54;

const Connector = z.looseObject({
  host: z.string().nullish(),
  mountpoint: z.string().nullish(),
  mode: z.enum(['rw', 'ro']).nullish(),
});
const Update = z.strictObject({ attachment: z.strictObject({ connector: Connector }) });

function createSchema(microversion: number) {
  return z.strictObject({
    attachment: z.strictObject({
      volume_uuid: Uuid,
      instance_uuid: Uuid.optional(),
      connector: Connector.nullish(),
      mode: microversion >= MIN_MODE_MICROVERSION ? z.enum(['rw', 'ro']).optional() : z.never().optional(),
    }),
  });
}

/** Cinder's attachments, which Nova and other clients create for each connection to a volume. */
export function attachmentRoutes(world: World): Route[] {
  const since = MIN_ATTACHMENT_MICROVERSION;
  return [
    ...volumeRoute('GET', '/attachments', (request) => list(world, request, false), since),
    ...volumeRoute('GET', '/attachments/detail', (request) => list(world, request, true), since),
    ...volumeRoute('POST', '/attachments', (request) => create(world, request), since),
    ...volumeRoute('GET', '/attachments/{id}', (request) => ok({ attachment: detail(find(world, request)) }), since),
    ...volumeRoute('PUT', '/attachments/{id}', (request) => update(world, request), since),
    ...volumeRoute('DELETE', '/attachments/{id}', (request) => remove(world, request), since),
    ...volumeRoute('POST', '/attachments/{id}/action', (request) => act(world, request), MIN_COMPLETE_MICROVERSION),
  ];
}

function summary(attachment: Attachment): Record<string, unknown> {
  return {
    id: attachment.id,
    status: attachment.status,
    instance: attachment.instanceId,
    volume_id: attachment.volumeId,
  };
}

function detail(attachment: Attachment): Record<string, unknown> {
  return {
    ...summary(attachment),
    attached_at: volumeTime(attachment.attachedMs) ?? '',
    detached_at: '',
    attach_mode: attachment.mode ?? 'null',
    connection_info: attachment.isConnected
      ? {
          driver_volume_type: 'simulated',
          attachment_id: attachment.id,
          volume_id: attachment.volumeId,
          encrypted: false,
          qos_specs: null,
          access_mode: attachment.mode ?? 'rw',
          cacheable: false,
        }
      : {},
  };
}

const FILTERS: Listing<Attachment>['filters'] = {
  volume_id: ({ volumeId }) => volumeId,
  status: ({ status }) => status,
  attach_status: ({ status }) => status,
  instance_id: ({ instanceId }) => instanceId ?? '',
};

const SORT_KEYS: Listing<Attachment>['sortKeys'] = {
  id: ({ id }) => id,
  volume_id: ({ volumeId }) => volumeId,
  // Rows are already in order of creation.
  created_at: () => 0,
};

function list(world: World, request: ApiRequest, isDetail: boolean): ApiResponse {
  requireReaderRole(request.access, 'volume:attachment_get_all');
  return page(request, {
    name: 'attachments',
    path: isDetail ? 'attachments/detail' : 'attachments',
    rows: [...world.tables.attachments.values()],
    projectOf: ({ projectId }) => projectId,
    idOf: ({ id }) => id,
    filters: FILTERS,
    sortKeys: SORT_KEYS,
    view: isDetail ? detail : summary,
  });
}

function find(world: World, { access, params }: ApiRequest): Attachment {
  const id = params['id'] ?? '';
  const attachment = world.tables.attachments.get(id);
  if (attachment === undefined || !canSee(access, attachment.projectId)) {
    throw notFound(`Volume attachment could not be found with filter: attachment_id = ${id}.`);
  }
  return attachment;
}

function create(world: World, request: ApiRequest): ApiResponse {
  const { attachment: body } = parseBody(createSchema(request.microversion), request.body);
  const volume = findVolume(world, request, body.volume_uuid);
  requireWriterRole(request.access, 'volume:attachment_create');
  const reserved = reserveAttachment(world, volume, {
    instanceId: body.instance_uuid ?? null,
    mode: body.mode ?? null,
  });
  const row = body.connector == null ? reserved : connect(world, reserved, connection(body.connector, reserved));
  return ok({ attachment: detail(row) });
}

function connection(
  { host, mountpoint, mode }: z.infer<typeof Connector>,
  attachment: Attachment,
): { readonly host: string | null; readonly device: string | null; readonly mode: string } {
  return { host: host ?? null, device: mountpoint ?? null, mode: attachment.mode ?? mode ?? 'rw' };
}

function update(world: World, request: ApiRequest): ApiResponse {
  const attachment = find(world, request);
  requireWriterRole(request.access, 'volume:attachment_update');
  const { connector } = parseBody(Update, request.body).attachment;
  return ok({ attachment: detail(connect(world, attachment, connection(connector, attachment))) });
}

function remove(world: World, request: ApiRequest): ApiResponse {
  const attachment = find(world, request);
  requireWriterRole(request.access, 'volume:attachment_delete');
  refuseNovaAttachment(world, attachment);
  release(world, attachment);
  return ok({ attachments: world.indexes.attachmentsByVolume.of(attachment.volumeId).map(summary) });
}

/** Refuses to detach a server's volume except through Nova, because the guest would lose a device. */
export function refuseNovaAttachment(world: World, { id, instanceId, isConnected }: Attachment): void {
  const server = world.tables.servers.get(instanceId ?? '');
  const isUsedByNova = isConnected && server?.volumes.some(({ attachmentId }) => attachmentId === id) === true;
  if (!isUsedByNova) return;
  throw conflict(`ConflictNovaUsingAttachment: Detach volume from instance ${instanceId} using the Compute API`);
}

function act(world: World, request: ApiRequest): ApiResponse {
  const attachment = find(world, request);
  requireWriterRole(request.access, 'volume:attachment_complete');
  const [name = ''] = Object.keys(request.body ?? {});
  if (name !== 'os-complete') {
    throw badRequest(
      `There is no such action: ${name}. Verify the request body and Content-Type header and try again.`,
    );
  }
  completeAttachment(world, attachment);
  return noContent;
}
