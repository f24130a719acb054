import type { CallOptions } from '@fairway/openstack/service-api';
import type { ServerGroup } from '@fairway/openstack/types/compute';
import { type ServerGroupOwner, serverGroupName, serverGroupOwner } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { StillSettlingError } from '@fairway/tenancy/cloud/still-settling-error';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { refused, removeEach } from '../cluster/remaining-resources.ts';

/** Maximum age of the list from which a pool's groups are deleted; only Fairway modifies them. */
const REMOVAL_MAX_AGE_MS = 600_000;

export interface ServerGroupOptions extends CallOptions {
  readonly policy: 'anti-affinity' | 'soft-anti-affinity';
  /** Called right before a group is created; rejects if nothing may be created anymore. */
  readonly confirm: () => Promise<void>;
  /** Maximum age of the list. */
  readonly maxAgeMs: number;
}

/**
 * The server group that separates the pool's nodes, created if there is none. Other groups with its tag, from create
 * requests that were assumed lost, are deleted. Throws StillSettling while a create request with unknown outcome may
 * still take effect, and the cloud's errors.
 */
export async function ensureServerGroup(
  cloud: ProjectCloud,
  owner: ServerGroupOwner,
  knownID: string | undefined,
  { policy, confirm, maxAgeMs, ...options }: ServerGroupOptions,
): Promise<string> {
  const name = serverGroupName(owner);
  const found = await ownGroups(cloud, owner.poolUid, maxAgeMs);
  const kept = found.find(({ id }) => id === knownID) ?? found.find(({ members }) => members.length > 0) ?? found[0];
  const { serverGroups } = cloud.client.compute;
  if (kept === undefined) {
    await confirm();
    const create = () => serverGroups.create({ name, policy }, options);
    return (await cloud.make(cloud.ledgers.serverGroups, owner.poolUid, create)).id;
  }
  const extra = found.filter(({ id, members }) => id !== kept.id && members.length === 0);
  for (const { id } of extra)
    await cloud.remove(cloud.ledgers.serverGroups, id, () => serverGroups.delete(id, options));
  return kept.id;
}

/** Deletes the pool's server groups, after their servers. Throws StillSettling while one may still appear, and a ProblemError if Nova rejects the deletion. */
export async function removeServerGroups(cloud: ProjectCloud, poolUid: string, options: CallOptions): Promise<void> {
  const { serverGroups } = cloud.client.compute;
  const held = await removeEach(
    await ownGroups(cloud, poolUid, REMOVAL_MAX_AGE_MS),
    ({ id }) => cloud.remove(cloud.ledgers.serverGroups, id, () => serverGroups.delete(id, options)),
    (group, refusal) => refused('server group', group, refusal),
  );
  if (held) throw new ProblemError(held);
  if (cloud.now() < cloud.trustedFromMs) throw new StillSettlingError('server group', cloud.trustedFromMs);
}

async function ownGroups(cloud: ProjectCloud, poolUid: string, maxAgeMs: number): Promise<readonly ServerGroup[]> {
  const { cache, client, ledgers } = cloud;
  const projectID = await client.session.projectId();
  const listed = await cache.serverGroups.refreshAfter(cloud.reliableFromMs(ledgers.serverGroups, maxAgeMs));
  const own = [...listed.items.values()].filter((group) => serverGroupOwner(group, projectID)?.poolUid === poolUid);
  const state = ledgers.serverGroups.observe(poolUid, own, listed.listedAtMs ?? 0);
  if (state.kind === 'settling') throw new StillSettlingError('server group', state.untilMs);
  return state.items.toSorted((a, b) => a.id.localeCompare(b.id));
}
