import type { ApiRequest, ApiResponse, Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { allowAccess, denyAccess, listAccess } from './access-actions.ts';
import { badRequest, conflict, invalidInput, MALFORMED, notFound, requireAdmin } from './problem.ts';
import { SHARE_STATUSES, type Share, type ShareStatus } from './records.ts';
import { RENAMED, shareRoute, type Versions } from './route.ts';
import type { ShareLife } from './share-life.ts';
import { findOwnShare, findShare } from './share-lookup.ts';
import { requireRoomForMore } from './share-quota.ts';
import { ACCEPTED } from './share-routes.ts';
import { isSet } from './share-types.ts';
import { seenSnapshot } from './snapshot-lookup.ts';

type Arguments = Readonly<Record<string, unknown>>;
type Action = (request: ApiRequest, given: Arguments) => ApiResponse;

/** The actions on a share by name; until 2.6 with the prefix `os-`. */
export function shareActionRoutes(world: World, life: ShareLife): Route[] {
  const actions: Readonly<Record<string, readonly [action: Action, versions?: Versions]>> = {
    extend: [(request, given) => extend(world, life, request, given)],
    shrink: [(request, given) => shrink(world, life, request, given)],
    reset_status: [
      (request, { status }) => {
        requireAdmin(request.access);
        life.settle({ ...findShare(world, request), status: resettable(status) });
        return ACCEPTED;
      },
    ],
    force_delete: [
      (request) => {
        requireAdmin(request.access);
        life.begin({ ...findShare(world, request), status: 'deleting' }, { step: 'delete' });
        return ACCEPTED;
      },
    ],
    allow_access: [(request, given) => allowAccess(world, life, request, given)],
    deny_access: [(request, given) => denyAccess(world, life, request, given)],
    access_list: [(request) => listAccess(world, request), { until: 44 }],
    revert: [(request, given) => revert(world, life, request, given), { since: 27 }],
  };
  return [shareRoute('POST', '/shares/{id}/action', (request) => runAction(request, actions))];
}

/** Runs the action in a body. */
export function runAction(
  request: ApiRequest,
  actions: Readonly<Record<string, readonly [action: Action, versions?: Versions]>>,
): ApiResponse {
  const { body, microversion } = request;
  const entries = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  const [first] = entries;
  if (entries.length !== 1 || first === undefined) throw badRequest('Malformed request body');
  const [name, given] = first;
  const isOld = name.startsWith('os-');
  const plain = isOld ? name.slice(3) : name;
  const [action, { since = 0, until = Number.POSITIVE_INFINITY } = {}] =
    (Object.hasOwn(actions, plain) ? actions[plain] : undefined) ?? [];
  if (action === undefined) throw badRequest(`There is no such action: ${name}`);
  const isNamed = isOld ? microversion < RENAMED : microversion >= RENAMED;
  if (!isNamed || microversion < since || microversion > until) throw notFound();
  return action(request, (typeof given === 'object' && given !== null ? given : {}) as Arguments);
}

const RESETTABLE: readonly ShareStatus[] = [
  'deleting',
  'error',
  'server_migrating',
  'error_deleting',
  'creating',
  'available',
  'migrating_to',
  'migrating',
];

/** A status that administrators may set; the list is a set in Manila, without order. */
export function resettable(status: unknown): ShareStatus {
  const found = SHARE_STATUSES.find((each) => each === status);
  if (found !== undefined && RESETTABLE.includes(found)) return found;
  throw badRequest(status === undefined ? MALFORMED : `Invalid state. Valid states: ${RESETTABLE.join(', ')}.`);
}

function newSize(given: Arguments): number {
  const size = given['new_size'];
  const text = typeof size === 'string' || typeof size === 'number' ? String(size) : '';
  if (/^\s*-?\d{1,9}\s*$/.test(text)) return Number(text);
  throw badRequest('New share size must be specified as an integer.');
}

function requireAvailable({ id, status }: Share, verb: 'extend' | 'shrink'): void {
  if (status === 'available') return;
  throw badRequest(
    `Invalid share: Share ${id} status must be 'available' to ${verb}, but current status is: ${status}.`,
  );
}

function extend(world: World, life: ShareLife, request: ApiRequest, given: Arguments): ApiResponse {
  const share = findOwnShare(world, request, 'Resource could not be found.');
  const sizeGiB = newSize(given);
  requireAvailable(share, 'extend');
  if (sizeGiB <= share.sizeGiB) {
    throw invalidInput(
      `New size for extend must be greater than current size. (current: ${share.sizeGiB}, extended: ${sizeGiB}).`,
    );
  }
  requireRoomForMore(world, share.projectId, share.sizeGiB, sizeGiB);
  life.begin({ ...share, status: 'extending' }, { step: 'extend', sizeGiB });
  return ACCEPTED;
}

function shrink(world: World, life: ShareLife, request: ApiRequest, given: Arguments): ApiResponse {
  const share = findOwnShare(world, request, 'Resource could not be found.');
  const sizeGiB = newSize(given);
  requireAvailable(share, 'shrink');
  if (sizeGiB >= share.sizeGiB || sizeGiB <= 0) {
    throw invalidInput(
      `New size for shrink must be less than current size and greater than 0 (current: ${share.sizeGiB}, new: ${sizeGiB}).`,
    );
  }
  life.begin({ ...share, status: 'shrinking' }, { step: 'shrink', sizeGiB });
  return ACCEPTED;
}

function revert(world: World, life: ShareLife, request: ApiRequest, given: Arguments): ApiResponse {
  const { snapshot_id: id } = given;
  if (id === undefined) throw badRequest('Required parameter snapshot_id not found.');
  if (typeof id !== 'string' || id === '') throw badRequest('Required parameter snapshot_id is empty.');
  const share = findOwnShare(world, request);
  const snapshot = seenSnapshot(world, request.access, id);
  if (snapshot === undefined) throw badRequest(`Snapshot ${id} could not be found.`);
  if (!isSet(world.tables.shareTypes.get(share.typeId), 'revert_to_snapshot_support')) {
    throw badRequest(
      `Share ${share.id} may not be reverted to snapshot ${id}, because the share does not have that capability.`,
    );
  }
  if (snapshot.shareId !== share.id) throw badRequest(`Snapshot ${id} is not associated with share ${share.id}.`);
  if (share.status !== 'available') {
    throw conflict(
      `Share ${share.id} is in '${share.status}' state, but it must be in 'available' state to be reverted to a snapshot.`,
    );
  }
  if (snapshot.status !== 'available') {
    throw conflict(
      `Snapshot ${id} is in '${snapshot.status}' state, but it must be in 'available' state to be restored.`,
    );
  }
  const latest = world.indexes.snapshotsByShare.of(share.id).reduce((a, b) => (b.createdMs >= a.createdMs ? b : a));
  if (latest.id !== id) {
    throw conflict(
      `Snapshot ${id} may not be restored because it is not the most recent snapshot of share ${share.id}. Currently the latest snapshot is ${latest.id}.`,
    );
  }
  const step = snapshot.sizeGiB < share.sizeGiB ? 'shrink' : 'extend';
  life.begin({ ...share, status: 'reverting' }, { step, sizeGiB: snapshot.sizeGiB });
  return ACCEPTED;
}
