import { PAUSED_ANNOTATION } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import type { Cause } from './cause.ts';

/** Reports about control planes and Fairway itself. */
export const CONTROL_PLANE_CAUSES: readonly Cause[] = [
  {
    cause: 'The control plane has no disk',
    by: 'a full disk of the control plane',
    kind: 'Cluster',
    phase: 'Degraded',
    reason: 'ControlPlaneFailed',
    message: 'the control plane runtime failed: no space left on its disk; free space or provide a larger disk',
  },
  {
    cause: "The cluster's API server refuses Fairway",
    by: 'a tenant API that refuses',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'ControlPlaneFailed',
    message: "1/4 nodes are ready; {machine}: the cluster's API server rejects Fairway's request: HTTP 403",
  },
  {
    cause: 'A cluster is paused',
    by: {
      from: 'a cluster',
      begin: (fairway) =>
        fairway.patch(clusters, 'demo', { metadata: { annotations: { [PAUSED_ANNOTATION]: 'true' } } }),
      request: () => undefined,
    },
    kind: 'Cluster',
    phase: 'Ready',
    condition: 'Paused',
    reason: 'Paused',
    message: 'it has the annotation fairway.dev/paused; Fairway does not reconcile it until that is removed',
  },
  {
    cause: "Fairway's own API refuses Machines",
    by: 'Machines that are refused',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'InternalError',
    message: "Fairway's own API rejected the request: HTTP 403",
  },
];
