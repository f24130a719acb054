import type { SecurityGroupFacts } from '@fairway/api/domain/security-groups';
import type { SecurityGroup } from '@fairway/openstack/types/security-group';
import { clusterOfDescription, isOfProject } from './ownership.ts';

/**
 * The security groups that a pool may reference: the project's own, and those that other projects share with it.
 * Administrators see the groups of all projects.
 */
export function securityGroupFacts(groups: Iterable<SecurityGroup>, projectID: string): SecurityGroupFacts[] {
  return [...groups].flatMap((group): SecurityGroupFacts[] => {
    const isOwn = isOfProject(group, projectID);
    if (!isOwn && group.shared !== true) return [];
    const isFairways = clusterOfDescription(group.description) !== undefined;
    return [{ id: group.id, name: group.name, isShared: !isOwn, isFairways }];
  });
}
