/** A security group visible to the project. */
export interface SecurityGroupFacts {
  readonly id: string;
  readonly name: string;
  /** Belongs to another project that shares it. */
  readonly isShared: boolean;
  /** Managed by Fairway for a cluster's nodes. */
  readonly isFairways: boolean;
}

export type SelectedSecurityGroup =
  | { readonly id: string; readonly why?: undefined }
  | { readonly why: 'missing' | 'ambiguous' | 'reserved' | 'sharedInOwnNetwork'; readonly message: string };

/**
 * The group that a pool refers to. A name refers only to the project's own groups, since any project may share a group
 * with the same name; an ID refers to any group. `isOwnNetwork`: Nova creates the nodes' ports in Fairway's network,
 * and rejects groups from other projects. Pure.
 */
export function chooseSecurityGroup(
  nameOrID: string,
  groups: readonly SecurityGroupFacts[],
  { isOwnNetwork }: { readonly isOwnNetwork: boolean },
): SelectedSecurityGroup {
  const byID = groups.find(({ id }) => id === nameOrID);
  const named = groups.filter(({ name, isShared }) => name === nameOrID && !isShared);
  // Fairway names its groups after clusters: a tenant's own group with the same name takes precedence.
  const found = byID
    ? [byID]
    : named.some(({ isFairways }) => !isFairways)
      ? named.filter((each) => !each.isFairways)
      : named;
  const [group] = found;
  if (group === undefined) return { why: 'missing', message: 'the project has no such security group' };
  if (group.isFairways) {
    const message = 'is managed by Fairway for the nodes of one cluster: choose a security group of your own';
    return { why: 'reserved', message };
  }
  if (found.length > 1) {
    const message = `the project has ${found.length} security groups of that name: use the ID of one of them`;
    return { why: 'ambiguous', message };
  }
  if (group.isShared && isOwnNetwork) {
    const message =
      'belongs to another project, but Nova only accepts groups of its own project where it creates the ports: choose a group of your project, or give the cluster a network of your project';
    return { why: 'sharedInOwnNetwork', message };
  }
  return { id: group.id };
}
