import type { ApiRequest, ApiResponse, Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { allowAccess, denyAccess, listAccess } from './access-actions.ts';
import { badRequest, conflict, invalidInput, MALFORMED_BODY, notFound, requireAdmin } from './problem.ts';
import { SHARE_STATUSES, type Share, type ShareStatus } from './records.ts';
import { RENAME_MICROVERSION, shareRoute, type Versions } from './route.ts';
import type { ShareLifecycle } from './share-lifecycle.ts';
import { findOwnShare, findShare } from './share-lookup.ts';
import { requireRoomToExtend } from './share-quota.ts';
import { ACCEPTED_RESPONSE } from './share-routes.ts';
import { isSet } from './share-types.ts';
import { visibleSnapshot } from './snapshot-lookup.ts';

type ActionArguments = Readonly<Record<string, unknown>>;
type Action = (request: ApiRequest, args: ActionArguments) => ApiResponse;

/** The actions on a share, by name. Up to 2.6 the names have the prefix `os-`. */
export function shareActionRoutes(world: World, lifecycle: ShareLifecycle): Route[] {
  const actions: Readonly<Record<string, readonly [action: Action, versions?: Versions]>> = {
    extend: [(request, args) => extend(world, lifecycle, request, args)],
    shrink: [(request, args) => shrink(world, lifecycle, request, args)],
    reset_status: [
      (request, { status }) => {
        requireAdmin(request.access);
        lifecycle.settle({ ...findShare(world, request), status: resettableStatus(status) });
        return ACCEPTED_RESPONSE;
      },
    ],
    force_delete: [
      (request) => {
        requireAdmin(request.access);
        lifecycle.begin({ ...findShare(world, request), status: 'deleting' }, { step: 'delete' });
        return ACCEPTED_RESPONSE;
      },
    ],
    allow_access: [(request, args) => allowAccess(world, lifecycle, request, args)],
    deny_access: [(request, args) => denyAccess(world, lifecycle, request, args)],
    access_list: [(request) => listAccess(world, request), { until: 44 }],
    revert: [(request, args) => revert(world, lifecycle, request, args), { since: 27 }],
  };
  return [shareRoute('POST', '/shares/{id}/action', (request) => runAction(request, actions))];
}

/** Runs the action that the body specifies. */
export function runAction(
  request: ApiRequest,
  actions: Readonly<Record<string, readonly [action: Action, versions?: Versions]>>,
): ApiResponse {
  const { body, microversion } = request;
  const entries = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  const [first] = entries;
  if (entries.length !== 1 || first === undefined) throw badRequest('Malformed request body');
  const [name, args] = first;
  const isLegacy = name.startsWith('os-');
  const plain = isLegacy ? name.slice(3) : name;
  const [action, { since = 0, until = Number.POSITIVE_INFINITY } = {}] =
    (Object.hasOwn(actions, plain) ? actions[plain] : undefined) ?? [];
  if (action === undefined) throw badRequest(`There is no such action: ${name}`);
  const isValidName = isLegacy ? microversion < RENAME_MICROVERSION : microversion >= RENAME_MICROVERSION;
  if (!isValidName || microversion < since || microversion > until) throw notFound();
  return action(request, (typeof args === 'object' && args !== null ? args : {}) as ActionArguments);
}

const RESETTABLE_STATUSES: readonly ShareStatus[] = [
  'deleting',
  'error',
  'server_migrating',
  'error_deleting',
  'creating',
  'available',
  'migrating_to',
  'migrating',
];

/** A status that administrators may set. In Manila, the list is an unordered set. */
export function resettableStatus(status: unknown): ShareStatus {
  const found = SHARE_STATUSES.find((each) => each === status);
  if (found !== undefined && RESETTABLE_STATUSES.includes(found)) return found;
  throw badRequest(
    status === undefined ? MALFORMED_BODY : `Invalid state. Valid states: ${RESETTABLE_STATUSES.join(', ')}.`,
  );
}

function newSize(args: ActionArguments): number {
  const size = args['new_size'];
  const text = typeof size === 'string' || typeof size === 'number' ? String(size) : '';
  if (/^\s*-?\d{1,9}\s*$/.test(text)) return Number(text);
  throw badRequest('New share size must be specified as an integer.');
}

function requireAvailableStatus({ id, status }: Share, verb: 'extend' | 'shrink'): void {
  if (status === 'available') return;
  throw badRequest(
    `Invalid share: Share ${id} status must be 'available' to ${verb}, but current status is: ${status}.`,
  );
}

function extend(world: World, lifecycle: ShareLifecycle, request: ApiRequest, args: ActionArguments): ApiResponse {
  const share = findOwnShare(world, request, 'Resource could not be found.');
  const sizeGiB = newSize(args);
  requireAvailableStatus(share, 'extend');
  if (sizeGiB <= share.sizeGiB) {
    throw invalidInput(
      `New size for extend must be greater than current size. (current: ${share.sizeGiB}, extended: ${sizeGiB}).`,
    );
  }
  requireRoomToExtend(world, share.projectId, share.sizeGiB, sizeGiB);
  lifecycle.begin({ ...share, status: 'extending' }, { step: 'extend', sizeGiB });
  return ACCEPTED_RESPONSE;
}

function shrink(world: World, lifecycle: ShareLifecycle, request: ApiRequest, args: ActionArguments): ApiResponse {
  const share = findOwnShare(world, request, 'Resource could not be found.');
  const sizeGiB = newSize(args);
  requireAvailableStatus(share, 'shrink');
  if (sizeGiB >= share.sizeGiB || sizeGiB <= 0) {
    throw invalidInput(
      `New size for shrink must be less than current size and greater than 0 (current: ${share.sizeGiB}, new: ${sizeGiB}).`,
    );
  }
  lifecycle.begin({ ...share, status: 'shrinking' }, { step: 'shrink', sizeGiB });
  return ACCEPTED_RESPONSE;
}

function revert(world: World, lifecycle: ShareLifecycle, request: ApiRequest, args: ActionArguments): ApiResponse {
  const { snapshot_id: id } = args;
  if (id === undefined) throw badRequest('Required parameter snapshot_id not found.');
  if (typeof id !== 'string' || id === '') throw badRequest('Required parameter snapshot_id is empty.');
  const share = findOwnShare(world, request);
  const snapshot = visibleSnapshot(world, request.access, id);
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
  lifecycle.begin({ ...share, status: 'reverting' }, { step, sizeGiB: snapshot.sizeGiB });
  return ACCEPTED_RESPONSE;
}
