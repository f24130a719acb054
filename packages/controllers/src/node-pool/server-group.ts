import { serverGroupName } from '../cloud/ownership.ts';
import type { ProjectCloud } from '../cloud/project-cloud.ts';

/** How old a list of server groups may be; they change when Fairway changes them. */
const MAX_AGE_MS = 600_000;

/** The server group that keeps the pool's nodes on hypervisors of their own, made if there is none. Undefined while a create is settling. */
export async function ensureServerGroup(cloud: ProjectCloud, poolUid: string): Promise<string | undefined> {
  const name = serverGroupName(poolUid);
  const state = await observe(cloud, name);
  if (state.kind === 'settling') return undefined;
  const [group] = state.items;
  if (group) return group.id;
  const { serverGroups } = cloud.client.compute;
  const create = () => serverGroups.create({ name, policy: 'anti-affinity' });
  return (await cloud.make(cloud.ledgers.serverGroups, name, create)).id;
}

/** Deletes the pool's server groups; their servers are gone before. */
export async function removeServerGroups(cloud: ProjectCloud, poolUid: string): Promise<void> {
  const state = await observe(cloud, serverGroupName(poolUid));
  if (state.kind === 'settling') return;
  const { serverGroups } = cloud.client.compute;
  for (const { id } of state.items) await cloud.remove(cloud.ledgers.serverGroups, id, () => serverGroups.delete(id));
}

async function observe(cloud: ProjectCloud, name: string) {
  const listed = await cloud.cache.serverGroups.refreshAfter(cloud.now() - MAX_AGE_MS);
  const own = [...listed.items.values()].filter((group) => group.name === name);
  return cloud.ledgers.serverGroups.observe(name, own, listed.listedAtMs ?? 0);
}
