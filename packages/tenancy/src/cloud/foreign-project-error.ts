import type { Cluster } from '@fairway/api/kinds/cluster';
import type { ProjectCloud } from './project-cloud.ts';

/**
 * Thrown if a namespace's cloud does not lead to the cluster's project: it has none of the cluster's resources, and
 * acting on it would recreate everything, or leak existing resources.
 */
export class ForeignProjectError extends Error {
  override readonly name = 'ForeignProject';
}

/**
 * Rejects with ForeignProjectError, or with the cloud's error. Must be called before concluding that a resource does
 * not exist.
 */
export async function requireOwnProject(cloud: ProjectCloud, cluster: Cluster | undefined): Promise<void> {
  const clusterProjectID = cluster?.status?.projectID;
  if (clusterProjectID === undefined) return;
  const projectID = await cloud.client.session.projectId();
  if (projectID === clusterProjectID) return;
  throw new ForeignProjectError(
    `the cluster is in project ${clusterProjectID}, but cloud ${cloud.name} of its namespace is for project ${projectID}; the operator must correct clouds.yaml or the annotation fairway.dev/cloud`,
  );
}
