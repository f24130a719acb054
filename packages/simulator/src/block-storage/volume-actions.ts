import { z } from 'zod';
import { type ApiRequest, type ApiResponse, accepted, ok, type Route } from '../http/api.ts';
import { parseBody } from '../http/parse-body.ts';
import { isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import { refuseNovaAttachment } from './attachment-routes.ts';
import { beginDetaching, completeAttachment, connect, release, reserveAttachment } from './attachments.ts';
import { badRequest, invalidInput, invalidVolume, notFound, requireAdmin, requireWriterRole } from './problem.ts';
import type { Attachment, Volume } from './records.ts';
import type { VolumeLifecycle } from './volume-lifecycle.ts';
import { requireRoomToExtend } from './volume-quota.ts';
import { volumeRoute } from './volume-route.ts';
import { deleteVolume, findVolume } from './volume-routes.ts';
import { Flag, isSet, Size, Uuid } from './volume-schema.ts';
import { isMultiattachType, lookUpType } from './volume-types.ts';

/** Since this microversion, a volume in use can be extended. */
const ONLINE_EXTEND_MICROVERSION = 42;

/** Actions for owners and administrators: `POST /volumes/{id}/action`. */
export function volumeActionRoutes(world: World, lifecycle: VolumeLifecycle): Route[] {
  return volumeRoute('POST', '/volumes/{id}/action', (request) => act(world, lifecycle, request));
}

interface ActionContext {
  readonly world: World;
  readonly lifecycle: VolumeLifecycle;
  readonly request: ApiRequest;
  readonly volume: Volume;
  readonly argument: unknown;
}

interface Action {
  /** Name of the policy rule. */
  readonly rule: string;
  readonly isAdminOnly?: true;
  readonly run: (act: ActionContext) => ApiResponse;
}

function act(world: World, lifecycle: VolumeLifecycle, request: ApiRequest): ApiResponse {
  const body = request.body as Readonly<Record<string, unknown>> | undefined;
  const [name, ...others] = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  if (name === undefined || others.length > 0) throw badRequest('Malformed request body');
  const action = Object.hasOwn(ACTION_HANDLERS, name) ? ACTION_HANDLERS[name] : undefined;
  if (action === undefined) {
    throw badRequest(
      `There is no such action: ${name}. Verify the request body and Content-Type header and try again.`,
    );
  }
  const volume = findVolume(world, request, request.params['id'] ?? '');
  if (action.isAdminOnly) requireAdmin(request.access, action.rule);
  else requireWriterRole(request.access, action.rule);
  return action.run({ world, lifecycle, request, volume, argument: body?.[name] });
}

const Attach = z.strictObject({
  instance_uuid: Uuid.optional(),
  mountpoint: z.string().min(1).max(255),
  host_name: z.string().max(255).optional(),
  mode: z.enum(['rw', 'ro']).optional(),
});
const Detach = z.strictObject({ attachment_id: Uuid.nullish() }).nullable();
const ResetStatus = z.strictObject({
  status: z.string().nullish(),
  attach_status: z.string().nullish(),
  migration_status: z.string().nullish(),
});
const RESETTABLE_STATUSES = [
  'creating',
  'available',
  'error',
  'in-use',
  'reserved',
  'attaching',
  'maintenance',
] as const;

const ACTION_HANDLERS: Readonly<Record<string, Action>> = {
  'os-extend': { rule: 'volume:extend', run: extend },
  'os-retype': { rule: 'volume:retype', run: retype },
  'os-reserve': {
    rule: 'volume_extension:volume_actions:reserve',
    run({ world, volume }) {
      const allowed = volume.isMultiattach ? ['available', 'in-use'] : ['available'];
      if (!allowed.includes(volume.status)) {
        throw invalidVolume(
          `Volume status must be ${allowed.join(' or ')} to reserve, but the status is ${volume.status}.`,
        );
      }
      return stored(world, { ...volume, status: 'attaching' });
    },
  },
  'os-unreserve': {
    rule: 'volume_extension:volume_actions:unreserve',
    run({ world, volume }) {
      if (volume.status !== 'attaching') return accepted;
      const hasAttachments = world.indexes.attachmentsByVolume.of(volume.id).length > 0;
      return stored(world, { ...volume, status: hasAttachments ? 'in-use' : 'available' });
    },
  },
  'os-attach': { rule: 'volume_extension:volume_actions:attach', run: attach },
  'os-detach': {
    rule: 'volume_extension:volume_actions:detach',
    run({ world, volume, argument }) {
      const id = parseBody(Detach, argument)?.attachment_id;
      releaseAttachment(world, volume, id ?? undefined);
      return accepted;
    },
  },
  'os-begin_detaching': {
    rule: 'volume_extension:volume_actions:begin_detaching',
    run({ world, volume }) {
      beginDetaching(world, volume);
      return accepted;
    },
  },
  'os-roll_detaching': {
    rule: 'volume_extension:volume_actions:roll_detaching',
    run: ({ world, volume }) =>
      volume.status === 'detaching' ? stored(world, { ...volume, status: 'in-use' }) : accepted,
  },
  'os-set_bootable': {
    rule: 'volume:update',
    run({ world, volume, argument }) {
      const { bootable } = parseBody(z.strictObject({ bootable: Flag }), argument);
      stored(world, { ...volume, isBootable: isSet(bootable) });
      return { status: 200 };
    },
  },
  'os-update_readonly_flag': {
    rule: 'volume:update_readonly_flag',
    run({ world, volume, argument }) {
      const { readonly } = parseBody(z.strictObject({ readonly: Flag }), argument);
      if (volume.status !== 'available') {
        throw invalidVolume(
          `Volume ${volume.id} status must be available to update readonly flag, but current status is: ${volume.status}.`,
        );
      }
      return stored(world, { ...volume, isReadOnly: isSet(readonly) });
    },
  },
  'os-show_image_metadata': {
    rule: 'volume_extension:volume_image_metadata:show',
    run({ world, volume }) {
      const image = world.config.images.find(({ id }) => id === volume.imageId);
      return ok({ metadata: image === undefined ? {} : { image_id: image.id, image_name: image.name } });
    },
  },
  'os-reset_status': {
    rule: 'volume_extension:volume_admin_actions:reset_status',
    isAdminOnly: true,
    run: resetStatus,
  },
  'os-force_delete': {
    rule: 'volume_extension:volume_admin_actions:force_delete',
    isAdminOnly: true,
    run({ world, lifecycle, volume }) {
      deleteVolume(world, lifecycle, volume, { isForced: true });
      return accepted;
    },
  },
  'os-force_detach': {
    rule: 'volume_extension:volume_admin_actions:force_detach',
    isAdminOnly: true,
    run({ world, volume, argument }) {
      const { attachment_id: id } = parseBody(
        z.strictObject({ attachment_id: z.string().nullish(), connector: z.unknown() }),
        argument,
      );
      releaseAttachment(world, volume, id ?? undefined);
      return accepted;
    },
  },
};

function stored(world: World, volume: Volume): ApiResponse {
  world.tables.volumes.put({ ...volume, updatedMs: world.clock.now() });
  return accepted;
}

function extend({ world, lifecycle, request, volume, argument }: ActionContext): ApiResponse {
  const size = Number(parseBody(z.strictObject({ new_size: Size }), argument).new_size);
  if (size <= volume.sizeGiB) {
    throw invalidInput(
      `New size for extend must be greater than current size. (current: ${volume.sizeGiB}, extended: ${size}).`,
    );
  }
  const isOnlineExtend = request.microversion >= ONLINE_EXTEND_MICROVERSION && volume.status === 'in-use';
  const expected = isOnlineExtend ? 'in-use' : 'available';
  if (volume.status !== expected) {
    throw invalidVolume(
      `Volume ${volume.id} status must be '{'status': '${expected}'}' to extend, currently ${volume.status}.`,
    );
  }
  requireRoomToExtend(world, volume.projectId, volume.typeId, volume.sizeGiB, size);
  lifecycle.begin({ ...volume, status: 'extending', previousStatus: volume.status }, { step: 'extend', sizeGiB: size });
  return accepted;
}

function retype({ world, lifecycle, request, volume, argument }: ActionContext): ApiResponse {
  const body = parseBody(
    z.strictObject({ new_type: z.string(), migration_policy: z.enum(['on-demand', 'never']).nullish() }),
    argument,
  );
  const type = lookUpType(world, request.access, body.new_type);
  if (type === undefined) throw notFound(`Volume type with name ${body.new_type} could not be found.`);
  const isMultiattach = isMultiattachType(type);
  if (isMultiattach !== volume.isMultiattach && volume.status !== 'available') {
    throw invalidInput(
      `Invalid volume_type passed, retypes affecting multiattach are only allowed on available volumes, the specified volume however currently has a status of: ${volume.status}.`,
    );
  }
  if ((volume.status !== 'available' && volume.status !== 'in-use') || type.id === volume.typeId) {
    throw invalidVolume(
      'Retype needs volume to be in available or in-use state, not be part of an active migration or a consistency group, requested type has to be different that the one from the volume, and for in-use volumes front-end qos specs cannot change.',
    );
  }
  lifecycle.begin(
    { ...volume, status: 'retyping', previousStatus: volume.status, isMultiattach },
    { step: 'retype', typeId: type.id },
  );
  return accepted;
}

/** For clients that do not use the attachment API: attaches the volume in one step. */
function attach({ world, volume, argument }: ActionContext): ApiResponse {
  const body = parseBody(Attach, argument);
  if (body.instance_uuid === undefined && body.host_name === undefined) {
    throw badRequest('Invalid input for field/attribute os-attach. The server or the host is a required property');
  }
  if (volume.isReadOnly && body.mode !== 'ro') {
    throw badRequest(`Invalid attaching mode '${body.mode ?? 'rw'}' for volume ${volume.id}.`);
  }
  // A client that has reserved the volume completes the attachment with this call.
  const isReserved = volume.status === 'attaching' && world.indexes.attachmentsByVolume.of(volume.id).length === 0;
  const free = isReserved ? world.tables.volumes.put({ ...volume, status: 'available' }) : volume;
  const mode = body.mode ?? 'rw';
  const attachment = reserveAttachment(world, free, { instanceId: body.instance_uuid ?? null, mode });
  completeAttachment(
    world,
    connect(world, attachment, { host: body.host_name ?? null, device: body.mountpoint, mode }),
  );
  return accepted;
}

function releaseAttachment(world: World, volume: Volume, id: string | undefined): void {
  const attachments = world.indexes.attachmentsByVolume.of(volume.id);
  const attachment = chooseAttachment(attachments, volume, id);
  if (attachment === undefined) return;
  refuseNovaAttachment(world, attachment);
  release(world, attachment);
}

function chooseAttachment(
  attachments: readonly Attachment[],
  volume: Volume,
  id: string | undefined,
): Attachment | undefined {
  if (id !== undefined) {
    const named = attachments.find((attachment) => attachment.id === id);
    if (named !== undefined) return named;
    throw notFound(`Volume attachment could not be found with filter: attachment_id = ${id}.`);
  }
  if (attachments.length > 1) {
    throw invalidVolume(
      `Detach volume failed: More than one attachment, but no attachment_id provided. Volume ${volume.id}`,
    );
  }
  return attachments[0];
}

function resetStatus({ world, lifecycle, request, volume, argument }: ActionContext): ApiResponse {
  const body = parseBody(ResetStatus, argument);
  const { status, attach_status: attachStatus } = body;
  if (status == null && attachStatus == null && body.migration_status == null) {
    throw badRequest("Must specify 'status', 'attach_status' or 'migration_status' for update.");
  }
  const next = status == null ? volume.status : RESETTABLE_STATUSES.find((one) => one === status.toLowerCase());
  if (next === undefined)
    throw badRequest(`Volume status: ${status} is invalid, valid statuses are: ${RESETTABLE_STATUSES.join(', ')}.`);
  const attachments = world.indexes.attachmentsByVolume.of(volume.id);
  if (next === 'in-use' && status != null && attachments.length === 0) {
    throw badRequest('Cannot reset-state to in-use because volume does not have any attachments.');
  }
  if (attachStatus?.toLowerCase() === 'detached' && isAdmin(request.access)) {
    for (const { id } of attachments) world.tables.attachments.delete(id);
  }
  lifecycle.settle({ ...volume, status: next, previousStatus: null });
  return accepted;
}
