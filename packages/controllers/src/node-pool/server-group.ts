import type { CallOptions } from '@fairway/openstack/service-api';
import type { ServerGroup } from '@fairway/openstack/types/compute';
import { type ServerGroupOwner, serverGroupName, serverGroupOwner } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { StillSettling } from '@fairway/tenancy/cloud/still-settling';

/** How old the list may be by which a pool's groups are removed; they change when Fairway changes them. */
const REMOVAL_MAX_AGE_MS = 600_000;

export interface ServerGroupOptions extends CallOptions {
  /** Asked right before one is created; rejects where nothing may be created any more. */
  readonly confirm: () => Promise<void>;
  /** How old the list may be. */
  readonly maxAgeMs: number;
}

/**
 * The server group that keeps the pool's nodes on hypervisors of their own, made if there is none; others of its mark, left by a create that was
 * thought lost, go. Throws StillSettling while a create without an answer may come true, and the cloud's errors.
 */
export async function ensureServerGroup(
  cloud: ProjectCloud,
  owner: ServerGroupOwner,
  knownID: string | undefined,
  { confirm, maxAgeMs, ...options }: ServerGroupOptions,
): Promise<string> {
  const name = serverGroupName(owner);
  const found = await ownGroups(cloud, owner.poolUid, maxAgeMs);
  const kept = found.find(({ id }) => id === knownID) ?? found.find(({ members }) => members.length > 0) ?? found[0];
  const { serverGroups } = cloud.client.compute;
  if (kept === undefined) {
    await confirm();
    const create = () => serverGroups.create({ name, policy: 'anti-affinity' }, options);
    return (await cloud.make(cloud.ledgers.serverGroups, owner.poolUid, create)).id;
  }
  const extra = found.filter(({ id, members }) => id !== kept.id && members.length === 0);
  for (const { id } of extra)
    await cloud.remove(cloud.ledgers.serverGroups, id, () => serverGroups.delete(id, options));
  return kept.id;
}

/** Deletes the pool's server groups; their servers are gone before. Throws StillSettling while one may still appear. */
export async function removeServerGroups(cloud: ProjectCloud, poolUid: string, options: CallOptions): Promise<void> {
  const { serverGroups } = cloud.client.compute;
  for (const { id } of await ownGroups(cloud, poolUid, REMOVAL_MAX_AGE_MS)) {
    await cloud.remove(cloud.ledgers.serverGroups, id, () => serverGroups.delete(id, options));
  }
  if (cloud.now() < cloud.trustedFromMs) throw new StillSettling('server group', cloud.trustedFromMs);
}

async function ownGroups(cloud: ProjectCloud, poolUid: string, maxAgeMs: number): Promise<readonly ServerGroup[]> {
  const { cache, client, ledgers } = cloud;
  const projectID = await client.session.projectId();
  const listed = await cache.serverGroups.refreshAfter(cloud.reliableFromMs(ledgers.serverGroups, maxAgeMs));
  const own = [...listed.items.values()].filter((group) => serverGroupOwner(group, projectID)?.poolUid === poolUid);
  const state = ledgers.serverGroups.observe(poolUid, own, listed.listedAtMs ?? 0);
  if (state.kind === 'settling') throw new StillSettling('server group', state.untilMs);
  return state.items.toSorted((a, b) => a.id.localeCompare(b.id));
}
