import type { CloudResourcesStatus } from '@fairway/api/kinds/cloud-resources-request';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { clusters, pathOf } from '../../api/resources.ts';
import { type Answered, useAnswer } from '../../api/use-answer.ts';

/** Servers answer from lists that are 15 s old at most. */
const EVERY_MS = 10_000;

/** What a cluster has in the cloud. */
export function useCloudResources({ metadata: { namespace, name } }: Cluster): Answered<CloudResourcesStatus> {
  const path = pathOf(clusters, namespace, name, 'cloudresources');
  return useAnswer({ path, kind: 'CloudResourcesRequest', everyMs: EVERY_MS });
}
