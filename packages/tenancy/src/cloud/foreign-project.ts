import type { Cluster } from '@fairway/api/kinds/cluster';
import type { ProjectCloud } from './project-cloud.ts';

/**
 * Thrown when a namespace's cloud is a different project than the cluster's: none of its resources are there, and acting on that
 * would recreate everything, or leak what exists.
 */
export class ForeignProject extends Error {
  override readonly name = 'ForeignProject';
}

/** Rejects with ForeignProject, or with the cloud's error. Call this before concluding that a resource does not exist. */
export async function requireOwnProject(cloud: ProjectCloud, cluster: Cluster | undefined): Promise<void> {
  const own = cluster?.status?.projectID;
  if (own === undefined) return;
  const projectID = await cloud.client.session.projectId();
  if (projectID === own) return;
  throw new ForeignProject(
    `the cluster lives in project ${own}, and cloud ${cloud.name} of its namespace is project ${projectID}; the operator has to fix clouds.yaml, or the annotation fairway.dev/cloud`,
  );
}
