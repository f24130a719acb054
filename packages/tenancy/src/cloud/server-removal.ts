import { ignoreNotFound, isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { CallOptions } from '@fairway/openstack/service-api';
import type { Problem } from '../problem.ts';
import type { ProjectCloud } from './project-cloud.ts';

/**
 * How far a deletion is. `kept`: Nova keeps the server with its ports and volumes for a while (`reclaim_instance_interval`), and its policy does not let
 * the project end that.
 */
export type ServerRemoval = 'gone' | 'deleting' | 'kept';

/** How long a cloud counts as one that keeps no deleted servers. */
const FINAL_FOR_MS = 3_600_000;
const finalUntil = new WeakMap<ProjectCloud, number>();

/** Whether the cloud is known to delete servers at once, so that what its list does not show is gone. */
export function deletesAtOnce(cloud: ProjectCloud): boolean {
  return cloud.now() < (finalUntil.get(cloud) ?? Number.NEGATIVE_INFINITY);
}

/** Deletes a server that may no longer exist, and records it. Resolves with why Nova keeps it, where it does; rejects with the cloud's error. */
export async function removeServer(
  cloud: ProjectCloud,
  id: string,
  options: CallOptions,
): Promise<Problem | undefined> {
  const { servers } = cloud.client.compute;
  const listed = cloud.cache.servers.snapshot().items.get(id);
  const hasRun = Boolean(listed?.['OS-SRV-USG:launched_at']);
  const states: ServerRemoval[] = [];
  await cloud.remove(cloud.ledgers.servers, id, async () => {
    await servers.delete(id, options);
    // Nova keeps none that has never run.
    if (deletesAtOnce(cloud) || (listed && !hasRun)) return;
    const { state, isSoft } = await endSoftDeletion(cloud, id, options);
    states.push(state);
    if (hasRun && !isSoft) finalUntil.set(cloud, cloud.now() + FINAL_FOR_MS);
  });
  return states.includes('kept') ? keptServer(id) : undefined;
}

/** Has a server deleted that Nova keeps after its deletion: no list shows it. */
export async function endSoftDeletion(
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

/** Asks for the server itself, which a list may miss: one that Nova keeps after its deletion is gone, too. Rejects with the cloud's error. */
export async function isServerGone({ client }: ProjectCloud, id: string, options: CallOptions): Promise<boolean> {
  const server = await ignoreNotFound(client.compute.servers.get(id, options));
  return server === undefined || server.status === 'SOFT_DELETED' || server.status === 'DELETED';
}

/** What a deletion waits for whose server is kept. */
export function keptServer(id: string): Problem {
  const message = `server ${id} is soft-deleted: Nova retains it with its ports and volumes until reclaim_instance_interval has passed, and the policy os_compute_api:os-deferred-delete:force does not let this project delete it earlier; the cloud operator can: openstack server delete --force ${id}`;
  return { reason: 'PermissionDenied', message };
}
