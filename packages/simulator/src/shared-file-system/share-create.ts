import type { ApiRequest, ApiResponse } from '../http/api.ts';
import { ok } from '../http/api.ts';
import { isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import { flag, plain } from './list.ts';
import { readMetadata } from './metadata.ts';
import {
  badRequest,
  forbidden,
  invalidInput,
  notFound,
  requireWriterRole,
  unexpectedError,
  unprocessableError,
} from './problem.ts';
import type { ShareSnapshot, ShareType } from './records.ts';
import type { ShareLifecycle } from './share-lifecycle.ts';
import { requireShareQuota } from './share-quota.ts';
import { defaultShareType, isSet, lookUpShareType } from './share-types.ts';
import { shareDetail } from './share-view.ts';
import { visibleSnapshot } from './snapshot-lookup.ts';

type Fields = Readonly<Record<string, unknown>>;

const PROTOCOLS = ['NFS', 'CIFS'];

/** The object under a name in a body; throws 422 if it is missing. */
export function bodyOf(body: unknown, name: string): Fields {
  const value = (body as Fields | null | undefined)?.[name];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unprocessableError();
  return value as Fields;
}

/** Rejects public shares unless the caller is an administrator. */
export function parseIsPublic({ access }: ApiRequest, value: unknown): boolean {
  const isPublic = value === undefined || value === null ? false : flag(value);
  if (isPublic && !isAdmin(access)) {
    throw forbidden("User is not authorized to set 'is_public' to True in the request.");
  }
  return isPublic;
}

export function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function createShare(world: World, lifecycle: ShareLifecycle, request: ApiRequest): ApiResponse {
  const { access, microversion } = request;
  requireWriterRole(access);
  const fields = bodyOf(request.body, 'share');
  const isPublic = parseIsPublic(request, fields['is_public']);
  const { size, share_proto } = fields;
  if (size === undefined || typeof share_proto !== 'string') throw unexpectedError();
  const zone = zoneOf(world, fields['availability_zone']);
  const snapshot = snapshotOf(world, request, fields['snapshot_id']);
  const network = text(fields['share_network_id']);
  if (network !== null) throw notFound(`Share network ${network} could not be found.`);
  const type = typeOf(world, request, fields, snapshot);
  if (snapshot === undefined && isSet(type, 'driver_handles_share_servers')) {
    throw badRequest('Share network must be set when the driver_handles_share_servers is true.');
  }
  if (microversion >= 48) checkZone(type, zone, fields['share_type'] ?? fields['volume_type']);
  const protocol = share_proto.toUpperCase();
  const metadata = fields['metadata'] == null ? {} : readMetadata(fields);
  const sizeGiB = sizeOf(size, snapshot);
  if (!PROTOCOLS.includes(protocol)) {
    throw invalidInput(
      `Invalid share protocol provided: ${share_proto.toUpperCase()}. It is either disabled or unsupported. Available protocols: ['NFS', 'CIFS'].`,
    );
  }
  requireShareQuota(world, access.projectId, sizeGiB);
  const parent = snapshot && world.tables.shares.get(snapshot.shareId);
  const share = lifecycle.begin(
    {
      id: world.ids.uuid(),
      name: text(fields['name'] ?? fields['display_name']),
      description: text(fields['description'] ?? fields['display_description']),
      projectId: access.projectId,
      userId: access.userId,
      createdMs: world.clock.now(),
      status: 'creating',
      sizeGiB,
      protocol,
      zone: zone ?? parent?.zone ?? null,
      instanceId: world.ids.uuid(),
      isPlaced: parent !== undefined,
      isExported: false,
      typeId: type?.id ?? parent?.typeId ?? '',
      snapshotId: snapshot?.id ?? null,
      isPublic,
      metadata,
      pending: null,
    },
    { step: 'create' },
  );
  return ok({ share: shareDetail(world, request, share) });
}

function zoneOf({ config }: World, value: unknown): string | null {
  const name = text(value);
  if (name === null || config.zones.some((zone) => zone.name === name)) return name;
  // Zed does not fill in the placeholder.
  throw notFound('Availability zone %(id)s could not be found.');
}

/** Since this microversion, the parent's type must support creating shares from snapshots. */
const FROM_SNAPSHOT_MICROVERSION = 24;

function snapshotOf(world: World, { access, microversion }: ApiRequest, value: unknown): ShareSnapshot | undefined {
  const id = text(value);
  if (id === null) return undefined;
  const snapshot = visibleSnapshot(world, access, id);
  if (snapshot === undefined) throw notFound(`ShareSnapshotNotFound: Snapshot ${id} could not be found.`);
  const parent = world.tables.shares.get(snapshot.shareId);
  const type = world.tables.shareTypes.get(parent?.typeId ?? '');
  if (microversion >= FROM_SNAPSHOT_MICROVERSION && !isSet(type, 'create_share_from_snapshot_support')) {
    throw badRequest(
      `A new share may not be created from snapshot '${id}', because the snapshot's parent share does not have that capability.`,
    );
  }
  return snapshot;
}

function typeOf(
  world: World,
  { access }: ApiRequest,
  fields: Fields,
  snapshot: ShareSnapshot | undefined,
): ShareType | undefined {
  if ('share_type' in fields && 'volume_type' in fields) {
    throw badRequest('Cannot specify both share_type and volume_type');
  }
  const requested = text(fields['share_type'] ?? fields['volume_type']);
  const type = requested === null ? undefined : lookUpShareType(world, access, requested);
  if (requested !== null && type === undefined) throw notFound('Share type not found.');
  if (snapshot === undefined) return type ?? defaultShareType(world);
  const parent = world.tables.shares.get(snapshot.shareId);
  if (type === undefined || type.id === parent?.typeId) return world.tables.shareTypes.get(parent?.typeId ?? '');
  throw invalidInput(`The specified share type must match the share type of share ${snapshot.shareId}.`);
}

function checkZone(type: ShareType | undefined, zone: string | null, requested: unknown): void {
  const zones = type?.extraSpecs['availability_zones'];
  if (zone === null || zones === undefined || zones.split(',').includes(zone)) return;
  const name = text(requested) ?? `${type?.name} (from source snapshot)`;
  throw badRequest(`Share type ${name} is not supported within the availability zone chosen ${zone}.`);
}

function sizeOf(size: unknown, snapshot: ShareSnapshot | undefined): number {
  const isInteger = /^\s*\d{1,9}\s*$/.test(plain(size));
  const sizeGiB = size === null && snapshot !== undefined ? snapshot.sizeGiB : isInteger ? Number(size) : 0;
  if (snapshot !== undefined && snapshot.status !== 'available') {
    throw badRequest("Invalid share snapshot: status must be 'available'.");
  }
  if (sizeGiB <= 0) {
    throw invalidInput(`Share size '${plain(size)}' must be an integer and greater than 0.`);
  }
  if (snapshot !== undefined && sizeGiB < snapshot.sizeGiB) {
    throw invalidInput(`Share size '${sizeGiB}' must be equal or greater than snapshot size.`);
  }
  return sizeGiB;
}
