import { ignoreNotFound, isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { CallOptions } from '@fairway/openstack/service-api';
import type { Problem } from '../problem.ts';
import type { ProjectCloud } from './project-cloud.ts';

/**
 * The progress of a deletion. `kept`: Nova retains the server with its ports and volumes for a while
 * (`reclaim_instance_interval`), and its policy does not let the project delete it earlier.
 */
export type ServerRemoval = 'gone' | 'deleting' | 'kept';

/** How long Fairway remembers that a cloud does not retain deleted servers. */
const FINAL_DELETION_TTL_MS = 3_600_000;
const finalDeletionUntil = new WeakMap<ProjectCloud, number>();

/**
 * Whether the cloud is known to delete servers immediately, so that a server missing from its list no longer exists.
 */
export function deletesImmediately(cloud: ProjectCloud): boolean {
  return cloud.now() < (finalDeletionUntil.get(cloud) ?? Number.NEGATIVE_INFINITY);
}

/**
 * Deletes a server that may no longer exist, and records the deletion. Resolves with the problem if Nova retains the
 * server; rejects with the cloud's error.
 */
export async function removeServer(
  cloud: ProjectCloud,
  id: string,
  options: CallOptions,
): Promise<Problem | undefined> {
  const { servers } = cloud.client.compute;
  const listed = cloud.cache.servers.snapshot().items.get(id);
  const hasStarted = Boolean(listed?.['OS-SRV-USG:launched_at']);
  const states: ServerRemoval[] = [];
  await cloud.remove(cloud.ledgers.servers, id, async () => {
    await servers.delete(id, options);
    // Nova does not retain a server that has never run.
    if (deletesImmediately(cloud) || (listed && !hasStarted)) return;
    const { state, isSoft } = await forceDeleteRetained(cloud, id, options);
    states.push(state);
    if (hasStarted && !isSoft) finalDeletionUntil.set(cloud, cloud.now() + FINAL_DELETION_TTL_MS);
  });
  return states.includes('kept') ? retainedServer(id) : undefined;
}

/** Force-deletes a server that Nova retains after its deletion and that no list shows. */
export async function forceDeleteRetained(
  { client }: ProjectCloud,
  id: string,
  options: CallOptions,
): Promise<{ readonly state: ServerRemoval; readonly isSoft: boolean }> {
  const { servers } = client.compute;
  const server = await ignoreNotFound(servers.get(id, options));
  if (server === undefined || server.status === 'DELETED') return { state: 'gone', isSoft: false };
  const task = server['OS-EXT-STS:task_state'];
  const isSoft = server.status === 'SOFT_DELETED' || task === 'soft-deleting';
  if (!isSoft || task === 'deleting') return { state: 'deleting', isSoft };
  try {
    await ignoreNotFound(servers.forceDelete(id, options));
    return { state: 'deleting', isSoft };
  } catch (error) {
    if (isOpenStackError(error, 'forbidden')) return { state: 'kept', isSoft };
    throw error;
  }
}

/**
 * Whether the server is deleted. Gets the server itself, because a list may miss it; a server that Nova retains after
 * its deletion counts as deleted. Rejects with the cloud's error.
 */
export async function isServerDeleted({ client }: ProjectCloud, id: string, options: CallOptions): Promise<boolean> {
  const server = await ignoreNotFound(client.compute.servers.get(id, options));
  return server === undefined || server.status === 'SOFT_DELETED' || server.status === 'DELETED';
}

/** Why the deletion of a retained server is waiting. */
export function retainedServer(id: string): Problem {
  const message = `server ${id} is soft-deleted: Nova retains it with its ports and volumes until reclaim_instance_interval has passed, and the policy os_compute_api:os-deferred-delete:force does not let this project delete it earlier; the cloud operator can: openstack server delete --force ${id}`;
  return { reason: 'PermissionDenied', message };
}
