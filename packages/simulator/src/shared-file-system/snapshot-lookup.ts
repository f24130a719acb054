import type { ApiRequest } from '../http/api.ts';
import { type Access, canSee } from '../identity/access.ts';
import type { World } from '../world.ts';
import { notFound, requireReaderRole, requireWriterRole } from './problem.ts';
import type { ShareSnapshot } from './records.ts';

/** The snapshot with this ID, if visible to the caller. */
export function visibleSnapshot({ tables }: World, access: Access, id: string): ShareSnapshot | undefined {
  const snapshot = tables.shareSnapshots.get(id);
  return snapshot !== undefined && canSee(access, snapshot.projectId) ? snapshot : undefined;
}

/** The snapshot in a path such as `/snapshots/{id}`. */
export function findSnapshot(
  world: World,
  { access, params }: ApiRequest,
  verb: 'read' | 'write' = 'read',
): ShareSnapshot {
  const snapshot = visibleSnapshot(world, access, params['id'] ?? '');
  if (snapshot === undefined) throw notFound();
  if (verb === 'write') requireWriterRole(access);
  else requireReaderRole(access);
  return snapshot;
}
