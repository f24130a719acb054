import { clusters } from '@fairway/api/kinds/cluster';
import type { TestFairway } from '../test-fairway.ts';
import { type Cause, MINUTE_MS } from './cause.ts';

function hibernate(fairway: TestFairway): Promise<unknown> {
  return fairway.patch(clusters, 'demo', { spec: { hibernation: { enabled: true } } });
}

/** Reports about hibernated clusters. */
export const HIBERNATION_CAUSES: readonly Cause[] = [
  {
    cause: 'The cluster is hibernated',
    by: { from: 'a cluster', begin: hibernate, request: () => undefined },
    afterMs: 5 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Hibernated',
    reason: 'Hibernated',
    message: 'hibernated: no nodes are running, and the control plane is stopped; "fairway cluster wake demo" wakes it',
  },
  {
    cause: 'The quota has no room for the nodes of a hibernated cluster',
    by: {
      from: 'a cluster',
      begin: async (fairway) => {
        await hibernate(fairway);
        fairway.cloud.setQuota('demo', { instances: 0 });
      },
      request: () => undefined,
    },
    afterMs: 60 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Hibernated',
    condition: 'WakingPossible',
    reason: 'QuotaExceeded',
    message:
      "1 node needs 1 instances, and the project's quota of 0 has 0 left: free something, ask for a larger quota, or scale pools down",
  },
];
