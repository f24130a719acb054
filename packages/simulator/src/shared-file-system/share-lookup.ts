import type { ApiRequest } from '../http/api.ts';
import { type Access, canSee } from '../identity/access.ts';
import type { World } from '../world.ts';
import { forbidden, notFound, requireReaderRole, requireWriterRole } from './problem.ts';
import type { Share } from './records.ts';

/** The share with this ID, if visible to the caller: the project's own or public. */
export function visibleShare({ tables }: World, access: Access, id: string): Share | undefined {
  const share = tables.shares.get(id);
  return share !== undefined && (share.isPublic || canSee(access, share.projectId)) ? share : undefined;
}

/** The share in a path such as `/shares/{id}`. */
export function findShare(world: World, { access, params }: ApiRequest, message?: string): Share {
  const share = visibleShare(world, access, params['id'] ?? '');
  if (share === undefined) throw notFound(message);
  requireReaderRole(access);
  return share;
}

/** The share in a path, to be changed; other projects cannot change public shares. */
export function findOwnShare(world: World, request: ApiRequest, message?: string): Share {
  const share = findShare(world, request, message);
  if (!canSee(request.access, share.projectId)) throw notFound(message);
  requireWriterRole(request.access);
  return share;
}

/** The parent in a path such as `/shares/{id}/metadata`: other projects' shares are found, but access is denied. */
export function findShareOfPath(world: World, { access, params }: ApiRequest, verb: 'read' | 'write' = 'read'): Share {
  const id = params['id'] ?? '';
  const share = world.tables.shares.get(id);
  if (share === undefined) throw notFound(`Share ${id} could not be found.`);
  const isSeen = verb === 'read' ? visibleShare(world, access, id) !== undefined : canSee(access, share.projectId);
  if (!isSeen) throw forbidden("Policy doesn't allow share:get to be performed.");
  if (verb === 'write') requireWriterRole(access);
  else requireReaderRole(access);
  return share;
}
