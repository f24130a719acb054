import { z } from 'zod';
import { type ApiRequest, type ApiResponse, accepted, ok, type Route } from '../http/api.ts';
import { parseBody } from '../http/parse-body.ts';
import { patchPort } from '../network/port-lifecycle.ts';
import type { World } from '../world.ts';
import { findFlavor, flavorOf } from './find-flavor.ts';
import { badRequest, conflict, notFound, requireAdmin } from './problem.ts';
import type { Server, VmState } from './records.ts';
import { checkFlavor } from './server-create.ts';
import type { ServerLifecycle } from './server-lifecycle.ts';
import { portsOf, resolveGroups } from './server-networks.ts';
import { requireServerQuota } from './server-quota.ts';
import { findForChange, findServer, refuseLocked, startDeletion } from './server-routes.ts';
import { Metadata, UserData } from './server-schema.ts';
import { detailView } from './server-view.ts';
import { packUserData } from './user-data.ts';

type Action = (
  world: World,
  lifecycle: ServerLifecycle,
  request: ApiRequest,
  server: Server,
  argument: unknown,
) => ApiResponse;

export function serverActionRoutes(world: World, lifecycle: ServerLifecycle): Route[] {
  return [
    { method: 'POST', template: '/v2.1/servers/{id}/action', handle: (request) => act(world, lifecycle, request) },
  ];
}

function act(world: World, lifecycle: ServerLifecycle, request: ApiRequest): ApiResponse {
  const body = request.body as Readonly<Record<string, unknown>> | undefined;
  const [name, ...others] = Object.keys(body ?? {});
  const action = name === undefined || others.length > 0 ? undefined : ACTIONS[name];
  if (name === undefined || action === undefined) throw badRequest(`There is no such action: ${name ?? ''}`);
  const server =
    name === 'os-getConsoleOutput' ? findServer(world, request) : findForChange(world, request, `servers:${name}`);
  if (name !== 'lock' && name !== 'unlock') refuseLocked(request, server);
  return action(world, lifecycle, request, server, body?.[name]);
}

/** Rejects an action that the server's state does not allow, with Nova's message. */
function requireState(server: Server, verb: string, states: readonly VmState[]): void {
  if (!states.includes(server.vmState)) {
    throw conflict(`Cannot '${verb}' instance ${server.id} while it is in vm_state ${server.vmState}`);
  }
  if (server.taskState !== null) {
    throw conflict(`Cannot '${verb}' instance ${server.id} while it is in task_state ${server.taskState}`);
  }
}

const Reboot = z.strictObject({ type: z.enum(['HARD', 'Hard', 'hard', 'SOFT', 'Soft', 'soft']) });
const Rebuild = z.strictObject({
  imageRef: z.string(),
  name: z.string().min(1).max(255).optional(),
  adminPass: z.string().optional(),
  metadata: Metadata.optional(),
  description: z.string().max(255).nullish(),
  user_data: UserData.nullish(),
  key_name: z.string().nullish(),
  hostname: z.string().optional(),
  preserve_ephemeral: z.boolean().optional(),
  accessIPv4: z.string().optional(),
  accessIPv6: z.string().optional(),
  trusted_image_certificates: z.array(z.string()).nullish(),
  'OS-DCF:diskConfig': z.enum(['AUTO', 'MANUAL']).optional(),
});
const Resize = z.strictObject({
  flavorRef: z.union([z.string(), z.int()]),
  'OS-DCF:diskConfig': z.enum(['AUTO', 'MANUAL']).optional(),
});
/** Since this microversion, a non-maskable interrupt can make a guest dump its memory. */
const MIN_CRASH_DUMP_MICROVERSION = 17;
const GroupName = z.strictObject({ name: z.string().min(1).max(255) });
const Lock = z.strictObject({ locked_reason: z.string().max(255).optional() }).nullable();
const ConsoleOutput = z.strictObject({ length: z.coerce.number().int().nullish() });

const ACTIONS: Readonly<Record<string, Action>> = {
  'os-start': (_world, lifecycle, _request, server) => {
    requireState(server, 'start', ['stopped']);
    lifecycle.begin({ ...server, taskState: 'powering-on' }, 'start');
    return accepted;
  },
  'os-stop': (_world, lifecycle, _request, server) => {
    requireState(server, 'stop', ['active', 'error']);
    lifecycle.begin({ ...server, taskState: 'powering-off' }, 'stop');
    lifecycle.notifyDown(server, 'stopped');
    return accepted;
  },
  reboot(_world, lifecycle, _request, server, argument) {
    const { type } = parseBody(Reboot, argument);
    const isHard = type.toUpperCase() === 'HARD';
    requireState(server, 'reboot', isHard ? ['active', 'stopped', 'error', 'paused'] : ['active']);
    lifecycle.begin({ ...server, vmState: 'active', taskState: isHard ? 'rebooting_hard' : 'rebooting' }, 'reboot');
    lifecycle.notifyDown(server, 'rebooting');
    return accepted;
  },
  rebuild,
  resize(world, lifecycle, _request, server, argument) {
    const { flavorRef } = parseBody(Resize, argument);
    requireState(server, 'resize', ['active', 'stopped']);
    const flavor = findFlavor(world, String(flavorRef));
    if (flavor === undefined) throw badRequest(`Flavor ${flavorRef} could not be found.`);
    if (flavor.id === server.flavorId) throw badRequest('When resizing, instances must change flavor!');
    checkFlavor(
      flavor,
      world.config.images.find((image) => image.id === server.imageId),
    );
    const old = flavorOf(world, server.flavorId);
    const more = {
      instances: 0,
      cores: Math.max(flavor.vcpus - old.vcpus, 0),
      ram: Math.max(flavor.ramMiB - old.ramMiB, 0),
    };
    requireServerQuota(world, server.projectId, more, 1, 1);
    lifecycle.begin(
      { ...server, oldFlavorId: server.flavorId, flavorId: flavor.id, taskState: 'resize_prep' },
      'resize',
    );
    lifecycle.notifyDown(server, 'rebooting');
    return accepted;
  },
  confirmResize(_world, lifecycle, _request, server) {
    if (server.vmState !== 'resized') throw badRequest('Instance has not been resized.');
    lifecycle.settle({ ...server, vmState: 'active', oldFlavorId: null });
    return { status: 204 };
  },
  revertResize(_world, lifecycle, _request, server) {
    if (server.vmState !== 'resized') throw badRequest('Instance has not been resized.');
    lifecycle.begin({ ...server, taskState: 'resize_reverting' }, 'revert');
    lifecycle.notifyDown(server, 'rebooting');
    return accepted;
  },
  pause(_world, lifecycle, _request, server) {
    requireState(server, 'pause', ['active']);
    lifecycle.settle({ ...server, vmState: 'paused' });
    lifecycle.notifyDown(server, 'stopped');
    return accepted;
  },
  unpause(_world, lifecycle, _request, server) {
    requireState(server, 'unpause', ['paused']);
    lifecycle.begin(server, 'start');
    return accepted;
  },
  trigger_crash_dump(_world, lifecycle, request, server, argument) {
    if (request.microversion < MIN_CRASH_DUMP_MICROVERSION) throw notFound('The resource could not be found.');
    parseBody(z.null(), argument);
    requireState(server, 'trigger_crash_dump', ['active', 'paused', 'resized', 'error']);
    lifecycle.panic(server);
    return accepted;
  },
  lock(world, _lifecycle, request, server, argument) {
    const reason = request.microversion >= 73 ? parseBody(Lock, argument ?? null)?.locked_reason : undefined;
    world.tables.servers.put({ ...server, locked: true, lockedReason: reason ?? null });
    return accepted;
  },
  unlock(world, _lifecycle, _request, server) {
    world.tables.servers.put({ ...server, locked: false, lockedReason: null });
    return accepted;
  },
  forceDelete(world, lifecycle, request, server) {
    if (world.config.forbidsForceDelete) requireAdmin(request.access, 'os-deferred-delete:force');
    startDeletion(lifecycle, server);
    return accepted;
  },
  'os-resetState': (world, lifecycle, request, server, argument) => {
    requireAdmin(request.access, 'os-admin-actions:reset_state');
    const { state } = parseBody(z.strictObject({ state: z.enum(['active', 'error']) }), argument);
    lifecycle.settle({ ...server, vmState: state, fault: state === 'active' ? null : server.fault });
    return accepted;
  },
  addSecurityGroup: (world, _lifecycle, request, server, argument) =>
    changeGroups(world, request, server, argument, true),
  removeSecurityGroup: (world, _lifecycle, request, server, argument) =>
    changeGroups(world, request, server, argument, false),
  'os-getConsoleOutput': (world, _lifecycle, _request, server, argument) => {
    const { length } = parseBody(ConsoleOutput, argument);
    if (server.launchedMs === null) throw notFound(`Instance ${server.id} is not ready`);
    const lines = [
      '[    0.000000] Linux version 6.8.0-cloud (simulated)',
      `cloud-init: running 'init' at ${new Date(server.launchedMs).toUTCString()}.`,
      `cloud-init: user data ${server.userData === null ? 'absent' : 'present'}`,
      `${server.hostname} login: `,
    ];
    const written = world.consoles.read(server.id);
    if (written !== '') lines.push(...written.replace(/\n$/, '').split('\n'));
    return ok({ output: (length == null || length < 0 ? lines : lines.slice(-length)).join('\n') });
  },
};

/** Since this microversion, a rebuild writes the image to the server's boot volume. */
const MIN_REIMAGE_MICROVERSION = 93;

function rebuild(
  world: World,
  lifecycle: ServerLifecycle,
  request: ApiRequest,
  server: Server,
  argument: unknown,
): ApiResponse {
  const body = parseBody(Rebuild, argument);
  requireState(server, 'rebuild', ['active', 'stopped', 'error']);
  if (!world.config.images.some((image) => image.id === body.imageRef))
    throw badRequest('Cannot find image for rebuild');
  if (server.imageId === null && request.microversion < MIN_REIMAGE_MICROVERSION)
    throw badRequest('Unable to rebuild with a different image for a volume-backed server.');
  const userData =
    body.user_data === undefined ? server.userData : body.user_data === null ? null : packUserData(body.user_data);
  const row = lifecycle.begin(
    {
      ...server,
      name: body.name ?? server.name,
      description: body.description ?? server.description,
      metadata: body.metadata ?? server.metadata,
      hostname: body.hostname ?? server.hostname,
      accessIPv4: body.accessIPv4 ?? server.accessIPv4 ?? '',
      accessIPv6: body.accessIPv6 ?? server.accessIPv6 ?? '',
      imageId: server.imageId === null ? null : body.imageRef,
      userData: request.microversion >= 57 ? userData : server.userData,
      taskState: 'rebuilding',
    },
    'rebuild',
  );
  lifecycle.notifyDown(server, 'rebuilding');
  return {
    status: 202,
    body: { server: { ...detailView(world, request, row, true), adminPass: world.ids.secret(12) } },
  };
}

function changeGroups(
  world: World,
  request: ApiRequest,
  server: Server,
  argument: unknown,
  isAdded: boolean,
): ApiResponse {
  const { name } = parseBody(GroupName, argument);
  const access = { ...request.access, projectId: server.projectId };
  const [id] = resolveGroups(world, access, [name]);
  if (id === undefined) throw notFound(`Security group ${name} not found for project ${server.projectId}.`);
  for (const port of portsOf(world, server.id)) {
    const others = port.security_groups.filter((group) => group !== id);
    patchPort(world, port, { security_groups: isAdded ? [...others, id] : others });
  }
  return accepted;
}
