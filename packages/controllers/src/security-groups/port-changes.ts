import type { Port } from '@fairway/openstack/types/network';

export interface WantedOnPorts {
  /** Fairway's own, of all nodes of the cluster. */
  readonly ownID: string;
  /** Of the pool. */
  readonly groupIDs: readonly string[];
  /** What ports may have because the pool named it. */
  readonly appliedIDs: readonly string[];
}

/** What a port is to have, in place of what it has; undefined where that is right. What others have put there stays. Pure. */
export function portChange(
  { security_groups: present }: Pick<Port, 'security_groups'>,
  { ownID, groupIDs, appliedIDs }: WantedOnPorts,
): readonly string[] | undefined {
  const wanted = [ownID, ...groupIDs];
  const kept = present.filter((id) => wanted.includes(id) || !appliedIDs.includes(id));
  const next = [...kept, ...wanted.filter((id) => !present.includes(id))];
  return next.length === present.length && next.every((id) => present.includes(id)) ? undefined : next;
}
