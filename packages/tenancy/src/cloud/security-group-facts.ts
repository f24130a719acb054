import type { SecurityGroupFacts } from '@fairway/api/domain/security-groups';
import type { SecurityGroup } from '@fairway/openstack/types/security-group';
import { clusterOfDescription, isOfProject } from './ownership.ts';

/** What a pool may name of the groups that the cloud shows: the project's, and what others share with it. An administrator is shown those of all projects. */
export function securityGroupFacts(groups: Iterable<SecurityGroup>, projectID: string): SecurityGroupFacts[] {
  return [...groups].flatMap((group): SecurityGroupFacts[] => {
    const isOwn = isOfProject(group, projectID);
    if (!isOwn && group.shared !== true) return [];
    const isFairways = clusterOfDescription(group.description) !== undefined;
    return [{ id: group.id, name: group.name, isShared: !isOwn, isFairways }];
  });
}
