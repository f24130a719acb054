import type { Port } from '@fairway/openstack/types/network';

export interface DesiredPortGroups {
  /** Fairway's own group, shared by all nodes in the cluster. */
  readonly ownID: string;
  /** The pool's groups. */
  readonly groupIDs: readonly string[];
  /** Groups that ports may have because the pool specified them. */
  readonly appliedIDs: readonly string[];
}

/** The desired groups of a port; undefined if it already has them. Groups added by others stay. Pure. */
export function portChange(
  { security_groups: present }: Pick<Port, 'security_groups'>,
  { ownID, groupIDs, appliedIDs }: DesiredPortGroups,
): readonly string[] | undefined {
  const desiredIDs = [ownID, ...groupIDs];
  const kept = present.filter((id) => desiredIDs.includes(id) || !appliedIDs.includes(id));
  const next = [...kept, ...desiredIDs.filter((id) => !present.includes(id))];
  return next.length === present.length && next.every((id) => present.includes(id)) ? undefined : next;
}
