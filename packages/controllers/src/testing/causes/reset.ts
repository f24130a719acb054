import { clusters } from '@fairway/api/kinds/cluster';
import type { Cause } from './cause.ts';

/** Reports about a reset that does not start although admission did not reject it. */
export const RESET_CAUSES: readonly Cause[] = [
  {
    cause: 'A reset that is not confirmed',
    by: {
      from: 'a cluster',
      begin: (fairway) =>
        fairway.patch(clusters, 'demo', { spec: { reset: { requestedAt: '2026-01-01T00:00:00Z', confirm: 'other' } } }),
      request: () => undefined,
    },
    kind: 'Cluster',
    phase: 'Ready',
    condition: 'ResetPossible',
    reason: 'ResetNotConfirmed',
    message: 'spec.reset.confirm: must be the name of the cluster, demo, to confirm that everything in it is deleted',
  },
];
