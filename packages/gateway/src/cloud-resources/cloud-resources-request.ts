import {
  CLOUD_RESOURCES_REQUEST_KIND,
  CLOUD_RESOURCES_SUBRESOURCE,
  type CloudResourcesRequest,
  type CloudResourcesStatus,
  cloudResourcesRequestSchema,
} from '@fairway/api/kinds/cloud-resources-request';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { ApiError } from '@fairway/kube/object/api-error';
import type { ClusterRequest } from '../requests/parent-request.ts';

/** A cluster's resources in the cloud, from lists that all callers share. */
export type ListCloudResources = (cluster: Cluster) => Promise<CloudResourcesStatus>;

/** The load balancers and volumes of the cluster. The request changes nothing, so a dry run returns them too. */
export function cloudResourcesRequest(
  lister: () => ListCloudResources | undefined,
): ClusterRequest<CloudResourcesRequest> {
  return {
    of: clusters,
    subresource: CLOUD_RESOURCES_SUBRESOURCE,
    kind: CLOUD_RESOURCES_REQUEST_KIND,
    schema: cloudResourcesRequestSchema(),
    async respond({ parent: cluster }) {
      const list = lister();
      if (list === undefined) {
        const message = 'Fairway is starting and has not loaded its clusters yet';
        throw new ApiError(503, 'ServiceUnavailable', message, { retryAfterSeconds: 1 });
      }
      return list(cluster);
    },
  };
}
