import type { CloudResourcesStatus } from '@fairway/api/kinds/cloud-resources-request';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { clusters, pathOf } from '../../api/resources.ts';
import { type PolledResponse, usePolledResponse } from '../../api/use-polled-response.ts';

/** The server responds from lists that are at most 15 s old. */
const POLL_INTERVAL_MS = 10_000;

/** A cluster's cloud resources. */
export function useCloudResources({ metadata: { namespace, name } }: Cluster): PolledResponse<CloudResourcesStatus> {
  const path = pathOf(clusters, namespace, name, 'cloudresources');
  return usePolledResponse({ path, kind: 'CloudResourcesRequest', intervalMs: POLL_INTERVAL_MS });
}
