import type { FlavorSpec, ImageSpec } from '../config.ts';
import type { ApiRequest, ApiResponse } from '../http/api.ts';
import { parseBody } from '../http/parse-body.ts';
import { isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import { chooseBootDevices, isUuid, reserveBootVolumes } from './boot-devices.ts';
import { findFlavor } from './find-flavor.ts';
import { badRequest, forbidden, requireWriterRole } from './problem.ts';
import type { NetworkRequest, Server } from './records.ts';
import { membersOf } from './scheduler.ts';
import type { ServerLifecycle } from './server-lifecycle.ts';
import { onlyNetwork, resolveGroups, validateNetworks } from './server-networks.ts';
import { computeLimits, requireServerQuota, usageOf } from './server-quota.ts';
import { type CreateServer, createServerSchema, isTrue } from './server-schema.ts';
import { linksTo } from './server-view.ts';
import { packUserData } from './user-data.ts';

type Body = CreateServer['server'];

/** `POST /servers`: everything that Nova checks before it returns 202. See server-lifecycle.ts for the rest. */
export function createServers(world: World, lifecycle: ServerLifecycle, request: ApiRequest): ApiResponse {
  const { access, microversion } = request;
  requireWriterRole(access, 'servers:create');
  const body = parseBody(createServerSchema(microversion), request.body);
  const { server } = body;
  const min = Number(server.min_count ?? 1);
  const max = Number(server.max_count ?? Math.max(min, 1));
  if (min > max) throw badRequest('min_count must be <= max_count');
  const wantedZone = chooseZone(world, server);
  const flavor = findFlavor(world, String(server.flavorRef));
  const devices = chooseBootDevices(world, request, server);
  const { imageId } = devices;
  if (flavor === undefined) throw badRequest(`Flavor ${server.flavorRef} could not be found.`);
  if (max > 1 && devices.volumes.some(({ existingId }) => existingId !== null)) {
    throw badRequest('Cannot attach one or more volumes to multiple instances');
  }
  checkFlavor(
    flavor,
    world.config.images.find((image) => image.id === imageId),
  );
  if (server.key_name !== undefined && !world.tables.keyPairs.has(`${access.userId}/${server.key_name}`)) {
    throw badRequest('Invalid key_name provided.');
  }
  const limits = computeLimits(world, access.projectId);
  const metadata = server.metadata ?? {};
  if (isOver(limits['metadata_items'], Object.keys(metadata).length)) {
    throw forbidden(`Maximum number of metadata items exceeds ${limits['metadata_items']}`);
  }
  const networks = chooseNetworks(world, request, server);
  const hints = body['os:scheduler_hints'] ?? body['OS-SCH-HNT:scheduler_hints'];
  const securityGroups = resolveGroups(
    world,
    access,
    (server.security_groups ?? []).map((group) => group.name),
  );
  validateNetworks(world, access, networks, max);
  const count = requireServerQuota(world, access.projectId, usageOf(flavor), min, max);
  const groupId = chooseGroup(world, request, hints?.group, count);
  const now = world.clock.now();
  const reservationId = `r-${world.ids.secret(8).toLowerCase()}`;
  const userData = server.user_data == null ? null : packUserData(server.user_data);
  const createdServers = Array.from({ length: count }, (_, launchIndex) => {
    const name = count === 1 ? server.name : `${server.name}-${launchIndex + 1}`;
    const id = world.ids.uuid();
    const row: Server = {
      id,
      name,
      description: server.description ?? null,
      hostname: server.hostname ?? hostnameOf(name),
      accessIPv4: server.accessIPv4 ?? '',
      accessIPv6: server.accessIPv6 ?? '',
      projectId: access.projectId,
      userId: access.userId,
      createdMs: now,
      updatedMs: now,
      launchedMs: null,
      deletedMs: null,
      vmState: 'building',
      taskState: 'scheduling',
      pending: null,
      fault: null,
      flavorId: flavor.id,
      oldFlavorId: null,
      imageId,
      volumes: reserveBootVolumes(world, id, devices),
      wantedZone,
      host: null,
      keyName: server.key_name ?? null,
      userData,
      metadata,
      tags: [...new Set(server.tags ?? [])].sort(),
      configDrive: isTrue(server.config_drive),
      groupId,
      networks,
      securityGroups,
      locked: false,
      lockedReason: null,
      reservationId,
      launchIndex,
    };
    return lifecycle.begin(row, 'schedule');
  });
  if (isTrue(server.return_reservation_id)) return { status: 202, body: { reservation_id: reservationId } };
  const [first] = createdServers;
  if (first === undefined) throw badRequest('max_count must be >= 1');
  const links = linksTo(request, `servers/${first.id}`);
  return {
    status: 202,
    headers: { Location: `${request.serviceUrl}/v2.1/servers/${first.id}` },
    body: {
      server: {
        id: first.id,
        links,
        'OS-DCF:diskConfig': server['OS-DCF:diskConfig'] ?? 'MANUAL',
        security_groups: server.security_groups ?? [{ name: 'default' }],
        adminPass: server.adminPass ?? world.ids.secret(12),
      },
    },
  };
}

function isOver(limit: number | undefined, count: number): boolean {
  return limit !== undefined && limit >= 0 && count > limit;
}

/** The host name that Nova derives from a display name. */
function hostnameOf(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[ _]/g, '-')
    .replaceAll(/[^a-z0-9.-]/g, '');
  return plain.replaceAll(/^[.-]+|[.-]+$/g, '').slice(0, 63) || 'server';
}

function chooseZone(world: World, server: Body): string | null {
  const zone = server.availability_zone;
  if (zone == null) return null;
  if (!world.config.zones.some(({ name }) => name === zone)) {
    throw badRequest('The requested availability zone is not available');
  }
  return zone;
}

function chooseNetworks(world: World, request: ApiRequest, server: Body): NetworkRequest[] {
  const { networks } = server;
  if (networks === 'none') return [];
  if (networks === 'auto') {
    const found = onlyNetwork(world, request.access);
    if (found.length === 0) {
      throw badRequest(`Unable to automatically allocate a network for project ${request.access.projectId}`);
    }
    return found;
  }
  if (networks === undefined || networks.length === 0) return onlyNetwork(world, request.access);
  return networks.map(({ uuid, port, fixed_ip }) => {
    if (port != null) return { portId: port };
    if (uuid === undefined) throw badRequest('Bad network format: missing uuid');
    if (!isUuid(uuid)) throw badRequest(`Bad networks format: network uuid is not in proper format (${uuid})`);
    return { networkId: uuid, ...(fixed_ip === undefined ? {} : { fixedIp: fixed_ip }) };
  });
}

/** Rejects a flavor that is too small for an image. */
export function checkFlavor(flavor: FlavorSpec, image: ImageSpec | undefined): void {
  if (image === undefined) return;
  if (flavor.ramMiB < image.minRamMiB) throw badRequest("Flavor's memory is too small for requested image.");
  if (flavor.diskGiB === 0) {
    throw forbidden('Only volume-backed servers are allowed for flavors with zero disk.');
  }
  if (flavor.diskGiB >= image.minDiskGiB) return;
  throw badRequest(
    `Flavor's disk is smaller than the minimum size specified in image metadata. Flavor disk is ${flavor.diskGiB * 1024 ** 3} bytes, minimum size is ${image.minDiskGiB * 1024 ** 3} bytes.`,
  );
}

function chooseGroup(world: World, { access }: ApiRequest, id: string | undefined, count: number): string | null {
  if (id === undefined) return null;
  const group = world.tables.serverGroups.get(id);
  if (group === undefined || (group.projectId !== access.projectId && !isAdmin(access))) {
    throw badRequest(`Instance group ${id} could not be found.`);
  }
  const limit = computeLimits(world, group.projectId)['server_group_members'];
  if (isOver(limit, membersOf(world, group).length + count)) {
    throw forbidden('Quota exceeded, too many servers in group');
  }
  return id;
}
