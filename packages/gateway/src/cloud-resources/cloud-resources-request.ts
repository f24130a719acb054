import {
  CLOUD_RESOURCES_REQUEST_KIND,
  CLOUD_RESOURCES_SUBRESOURCE,
  type CloudResourcesRequest,
  type CloudResourcesStatus,
  cloudResourcesRequestSchema,
} from '@fairway/api/kinds/cloud-resources-request';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { ApiError } from '@fairway/kube/object/api-error';
import type { ClusterRequest } from '../requests/cluster-request.ts';

/** What a cluster has in the cloud, from lists that all who ask share. */
export type ListCloudResources = (cluster: Cluster) => Promise<CloudResourcesStatus>;

/** The load balancers and volumes of the cluster. Changes nothing, so a dry run is answered too. */
export function cloudResourcesRequest(
  lister: () => ListCloudResources | undefined,
): ClusterRequest<CloudResourcesRequest> {
  return {
    subresource: CLOUD_RESOURCES_SUBRESOURCE,
    kind: CLOUD_RESOURCES_REQUEST_KIND,
    schema: cloudResourcesRequestSchema(),
    async answer({ cluster }) {
      const list = lister();
      if (list === undefined) {
        const message = 'Fairway is starting, and does not know its clusters yet';
        throw new ApiError(503, 'ServiceUnavailable', message, { retryAfterSeconds: 1 });
      }
      return list(cluster);
    },
  };
}
