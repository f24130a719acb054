import type { Cluster } from '@fairway/api/kinds/cluster';
import type { ProjectCloud } from './project-cloud.ts';

/**
 * Thrown when a namespace's cloud is another project than the one that the cluster lives in: nothing of the cluster is there, and believing that
 * would make everything again, or forget what there is.
 */
export class ForeignProject extends Error {
  override readonly name = 'ForeignProject';
}

/** Rejects with ForeignProject, or with the cloud's error. Whoever believes in the absence of something asks this first. */
export async function requireOwnProject(cloud: ProjectCloud, cluster: Cluster | undefined): Promise<void> {
  const own = cluster?.status?.projectID;
  if (own === undefined) return;
  const projectID = await cloud.client.session.projectId();
  if (projectID === own) return;
  throw new ForeignProject(
    `the cluster lives in project ${own}, and cloud ${cloud.name} of its namespace is project ${projectID}; the operator fixes clouds.yaml, or the annotation fairway.dev/cloud`,
  );
}
