import { ignoreNotFound } from '@fairway/openstack/http/openstack-error';
import { isOfProject } from '@fairway/tenancy/cloud/ownership';
import type { PresentServiceScope } from './service-scope.ts';

/** Neutron's maximum name length. */
const MAX_NAME_LENGTH = 255;

/**
 * Removes the security group that upstream, with `manage-security-groups`, added to node ports for a Service that no
 * longer needs it. The group's name contains the unique UID of the Service. A concurrent change to a port results in a
 * conflict and a retry.
 */
export async function removeUpstreamSecurityGroup(scope: PresentServiceScope): Promise<void> {
  const { cloud, projectID, service, signal, upstream } = scope;
  if (upstream === undefined) return;
  const { uid, namespace, name } = service.metadata;
  const { securityGroups, ports } = cloud.client.network;
  const filter = { name: `lb-sg-${uid}-${namespace}-${name}`.slice(0, MAX_NAME_LENGTH), project_id: projectID };
  const descriptionPrefix = `Security Group for ${namespace}/${name} Service LoadBalancer in cluster `;
  for await (const group of securityGroups.list(filter, { signal })) {
    if (!isOfProject(group, projectID) || !group.description?.startsWith(descriptionPrefix)) continue;
    for await (const port of ports.list({ project_id: projectID }, { signal })) {
      const { id, revision_number: ifRevision, security_groups: all } = port;
      if (!all.includes(group.id)) continue;
      const left = all.filter((each) => each !== group.id);
      await ports.update(id, { security_groups: left }, { signal, ...(ifRevision !== undefined && { ifRevision }) });
    }
    await ignoreNotFound(securityGroups.delete(group.id, { signal }));
  }
}
