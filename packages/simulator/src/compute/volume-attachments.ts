import { z } from 'zod';
import { beginDetaching } from '../block-storage/attachments.ts';
import type { Volume } from '../block-storage/records.ts';
import { ApiError, type ApiRequest, type ApiResponse, accepted, ok, type Route } from '../http/api.ts';
import { parseBody } from '../http/parse-body.ts';
import { canSee } from '../identity/access.ts';
import type { World } from '../world.ts';
import { badRequest, conflict, notFound, requireReaderRole } from './problem.ts';
import type { Server, ServerVolume, VmState } from './records.ts';
import { findForChange, findServer, refuseLocked } from './server-routes.ts';
import { Tag } from './server-schema.ts';
import { deviceName, type ServerVolumes } from './server-volumes.ts';

/**
 * Minimum microversions: tags in requests; multiattach volumes; tags and delete_on_termination in responses; Cinder's
 * IDs.
 */
const MIN_TAG_MICROVERSION = 49;
const MIN_MULTIATTACH_MICROVERSION = 60;
const MIN_TAG_SHOWN_MICROVERSION = 70;
const MIN_DELETE_ON_TERMINATION_MICROVERSION = 79;
const MIN_CHANGE_MICROVERSION = 85;
const MIN_ATTACHMENT_ID_MICROVERSION = 89;

const Uuid = z.string().refine((text) => /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text), {
  error: (issue) => `'${String(issue.input)}' is not a 'uuid'`,
});
const Device = z.string().regex(/(^\/dev\/x{0,1}[a-z]{0,1}d{0,1})([a-z]+)[0-9]*$/);
const Flag = z.union([z.boolean(), z.enum(['True', 'true', 'False', 'false', '1', '0'])]);
const absent = z.never().optional();

function createSchema(microversion: number) {
  return z.strictObject({
    volumeAttachment: z.strictObject({
      volumeId: Uuid,
      device: Device.nullish(),
      tag: microversion >= MIN_TAG_MICROVERSION ? Tag.optional() : absent,
      delete_on_termination: microversion >= MIN_DELETE_ON_TERMINATION_MICROVERSION ? Flag.optional() : absent,
    }),
  });
}

const Update = z.strictObject({
  volumeAttachment: z.strictObject({
    volumeId: Uuid,
    device: Device.nullish(),
    tag: Tag.nullish(),
    delete_on_termination: Flag.optional(),
    serverId: Uuid.optional(),
    id: Uuid.optional(),
  }),
});

/** `/servers/{id}/os-volume_attachments`: the volumes of a server. */
export function volumeAttachmentRoutes(world: World, volumes: ServerVolumes): Route[] {
  const template = '/v2.1/servers/{id}/os-volume_attachments';
  return [
    {
      method: 'GET',
      template,
      handle(request) {
        const server = seen(world, request, 'index');
        const all = server.volumes.filter(({ wanted }) => wanted === undefined);
        return ok({ volumeAttachments: page(request, all).map((volume) => view(request, server, volume)) });
      },
    },
    {
      method: 'GET',
      template: `${template}/{volume}`,
      handle(request) {
        const server = seen(world, request, 'show');
        return ok({ volumeAttachment: view(request, server, findServerVolume(server, request)) });
      },
    },
    { method: 'POST', template, handle: (request) => attach(world, volumes, request) },
    { method: 'PUT', template: `${template}/{volume}`, handle: (request) => update(world, request) },
    { method: 'DELETE', template: `${template}/{volume}`, handle: (request) => detach(world, volumes, request) },
  ];
}

function seen(world: World, request: ApiRequest, rule: string): Server {
  const server = findServer(world, request);
  requireReaderRole(request.access, `os-volumes-attachments:${rule}`);
  return server;
}

function page({ query }: ApiRequest, volumes: readonly ServerVolume[]): readonly ServerVolume[] {
  const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 1000)];
  if (!(offset >= 0) || !(limit >= 0)) throw badRequest('limit and offset must be integers of at least 0');
  return volumes.slice(offset, offset + limit);
}

function findServerVolume(server: Server, { params }: ApiRequest): ServerVolume {
  const id = params['volume'] ?? '';
  const serverVolume = server.volumes.find((volume) => volume.id === id && volume.wanted === undefined);
  if (serverVolume === undefined) throw notFound(`Instance ${server.id} is not attached to volume ${id}`);
  return serverVolume;
}

function findVolume(world: World, { access }: ApiRequest, id: string): Volume {
  const volume = world.tables.volumes.get(id);
  if (volume === undefined || !canSee(access, volume.projectId)) throw notFound(`Volume ${id} could not be found.`);
  return volume;
}

function view({ microversion }: ApiRequest, server: Server, volume: ServerVolume): object {
  const { id, tag = null, deleteOnTermination, attachmentId, mappingId } = volume;
  const device = volume.device ?? deviceName(server.volumes.indexOf(volume));
  return {
    ...(microversion < MIN_ATTACHMENT_ID_MICROVERSION ? { id } : {}),
    volumeId: id,
    serverId: server.id,
    device,
    ...(microversion >= MIN_TAG_SHOWN_MICROVERSION ? { tag } : {}),
    ...(microversion >= MIN_DELETE_ON_TERMINATION_MICROVERSION ? { delete_on_termination: deleteOnTermination } : {}),
    ...(microversion >= MIN_ATTACHMENT_ID_MICROVERSION
      ? { attachment_id: attachmentId ?? null, bdm_uuid: mappingId ?? null }
      : {}),
  };
}

const ATTACHABLE_STATUSES: ReadonlySet<VmState> = new Set(['active', 'paused', 'stopped', 'resized']);

function requireState(server: Server, verb: string): void {
  const [what, state] = ATTACHABLE_STATUSES.has(server.vmState)
    ? (['task_state', server.taskState] as const)
    : (['vm_state', server.vmState] as const);
  if (state !== null) throw conflict(`Cannot '${verb}' instance ${server.id} while it is in ${what} ${state}`);
}

function attach(world: World, volumes: ServerVolumes, request: ApiRequest): ApiResponse {
  const { microversion } = request;
  const { volumeAttachment: body } = parseBody(createSchema(microversion), request.body);
  const server = findForChange(world, request, 'os-volumes-attachments:create');
  refuseLocked(request, server);
  requireState(server, 'attach_volume');
  const volume = findVolume(world, request, body.volumeId);
  refuseSecondAttachment(world, server, volume);
  if (volume.isMultiattach && microversion < MIN_MULTIATTACH_MICROVERSION) {
    throw badRequest('Multiattach volumes are only supported starting with compute API version 2.60.');
  }
  const tag = body.tag ?? null;
  const deleteOnTermination = isTrue(body.delete_on_termination);
  const { device } = volumes.attach(server, volume, { tag, deleteOnTermination });
  return ok({
    volumeAttachment: {
      id: volume.id,
      serverId: server.id,
      volumeId: volume.id,
      device,
      ...(microversion >= MIN_TAG_SHOWN_MICROVERSION ? { tag } : {}),
      ...(microversion >= MIN_DELETE_ON_TERMINATION_MICROVERSION ? { delete_on_termination: deleteOnTermination } : {}),
    },
  });
}

function refuseSecondAttachment(world: World, server: Server, volume: Volume): void {
  if (volume.isMultiattach) {
    if (server.volumes.some(({ id }) => id === volume.id)) {
      throw badRequest(`Invalid volume: volume ${volume.id} already attached`);
    }
    return;
  }
  const holders = world.indexes.attachmentsByVolume
    .of(volume.id)
    .map(({ instanceId }) => world.tables.servers.get(instanceId ?? ''))
    .filter((holder) => holder?.volumes.some(({ id }) => id === volume.id) === true);
  if (holders.length === 0) return;
  const ids = holders.map((holder) => holder?.id).join(' ');
  throw badRequest(`Invalid volume: volume ${volume.id} is already attached to instances: ${ids}`);
}

function update(world: World, request: ApiRequest): ApiResponse {
  const server = findForChange(world, request, 'os-volumes-attachments:update');
  const { volumeAttachment: body } = parseBody(Update, request.body);
  const serverVolume = findServerVolume(server, request);
  if (request.microversion < MIN_CHANGE_MICROVERSION || body.volumeId !== serverVolume.id) {
    throw badRequest('Volumes of simulated servers cannot be swapped: detach the one, attach the other.');
  }
  const immutableFields: readonly (readonly [
    name: string,
    given: string | null | undefined,
    value: string | null | undefined,
  ])[] = [
    ['id', body.id, serverVolume.id],
    ['serverId', body.serverId, server.id],
    ['device', body.device, serverVolume.device],
    ['tag', body.tag, serverVolume.tag ?? null],
  ];
  for (const [name, original, value] of immutableFields) {
    if (original !== undefined && original !== value) throw badRequest(`The ${name} property is not mutable`);
  }
  const flag = body.delete_on_termination;
  const changed = flag === undefined ? serverVolume : { ...serverVolume, deleteOnTermination: isTrue(flag) };
  world.tables.servers.put({
    ...server,
    volumes: server.volumes.map((volume) => (volume === serverVolume ? changed : volume)),
  });
  return accepted;
}

function isTrue(flag: z.infer<typeof Flag> | undefined): boolean {
  return flag === true || ['True', 'true', '1'].includes(String(flag));
}

function detach(world: World, volumes: ServerVolumes, request: ApiRequest): ApiResponse {
  const server = findForChange(world, request, 'os-volumes-attachments:delete');
  const volume = findVolume(world, request, request.params['volume'] ?? '');
  const serverVolume = findServerVolume(server, request);
  if (serverVolume.isRoot === true) throw badRequest('Cannot detach a root device volume');
  refuseLocked(request, server);
  requireState(server, 'detach_volume');
  const attachment = world.tables.attachments.get(serverVolume.attachmentId ?? '');
  try {
    beginDetaching(world, volume);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw badRequest(
      `Invalid volume: Invalid input received: ${error.message} (HTTP ${error.status}) (Request-ID: req-${world.ids.uuid()})`,
    );
  }
  if (attachment !== undefined) volumes.detach(attachment);
  return accepted;
}
