import { z } from 'zod';

const MODES = ['Objects', 'Manifests'] as const;

/** `spec.limitPolicies` of a Plan. */
export const limitPolicies = z
  .enum(MODES)
  .describe(
    'How API servers of clusters get the admission policies that enforce the limits of the plan. Objects: as objects of the cluster; Fairway restores them, but a cluster-admin can delete them for a moment. Manifests: as files next to the API server, which users of the cluster neither see nor change; an alpha feature of Kubernetes 1.36 and later, for process-based control planes. Default: Objects.',
  );

/** `status.limitPolicies` of a Cluster. */
export const limitPoliciesStatus = z
  .object({
    mode: z.enum(MODES).describe('How the API server gets the policies now.'),
    message: z.string().optional().describe('Why the mode differs from that of the plan.'),
  })
  .describe(
    'How the API server gets the admission policies that enforce the limits of the plan. Absent unless the plan sets limitPolicies to Manifests.',
  );
