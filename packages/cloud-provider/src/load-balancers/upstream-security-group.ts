import { ignoreNotFound } from '@fairway/openstack/http/openstack-error';
import { isOfProject } from '@fairway/tenancy/cloud/ownership';
import type { LivingScope } from './service-scope.ts';

/** Neutron's limit of a name. */
const MAX_NAME = 255;

/**
 * Takes away the security group that upstream, with `manage-security-groups`, had put on nodes' ports for a Service that has no use for it any more. Its name has the
 * Service's UID, which no other has. A port that somebody else changes meanwhile is a conflict, and tried again.
 */
export async function removeUpstreamSecurityGroup(scope: LivingScope): Promise<void> {
  const { cloud, projectID, service, signal, upstream } = scope;
  if (upstream === undefined) return;
  const { uid, namespace, name } = service.metadata;
  const { securityGroups, ports } = cloud.client.network;
  const filter = { name: `lb-sg-${uid}-${namespace}-${name}`.slice(0, MAX_NAME), project_id: projectID };
  const described = `Security Group for ${namespace}/${name} Service LoadBalancer in cluster `;
  for await (const group of securityGroups.list(filter, { signal })) {
    if (!isOfProject(group, projectID) || !group.description?.startsWith(described)) continue;
    for await (const port of ports.list({ project_id: projectID }, { signal })) {
      const { id, revision_number: ifRevision, security_groups: all } = port;
      if (!all.includes(group.id)) continue;
      const left = all.filter((each) => each !== group.id);
      await ports.update(id, { security_groups: left }, { signal, ...(ifRevision !== undefined && { ifRevision }) });
    }
    await ignoreNotFound(securityGroups.delete(group.id, { signal }));
  }
}
