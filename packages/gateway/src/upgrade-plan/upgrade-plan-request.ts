import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import {
  UPGRADE_PLAN_REQUEST_KIND,
  UPGRADE_PLAN_SUBRESOURCE,
  type UpgradePlanRequest,
  type UpgradePlanStatus,
  upgradePlanRequestSchema,
} from '@fairway/api/kinds/upgrade-plan-request';
import { ApiError } from '@fairway/kube/object/api-error';
import { type ClusterRequest, refusal } from '../requests/parent-request.ts';

/**
 * Plans an upgrade to a version; if undefined, to the next version that the cluster would upgrade to. Changes nothing.
 * Rejects with 429 while too many plans are requested.
 */
export type PlanUpgrade = (cluster: Cluster, version: string | undefined) => Promise<UpgradePlanStatus>;

/** The effects of an upgrade of the cluster. The request changes nothing, so a dry run returns them too. */
export function upgradePlanRequest(planner: () => PlanUpgrade | undefined): ClusterRequest<UpgradePlanRequest> {
  return {
    of: clusters,
    subresource: UPGRADE_PLAN_SUBRESOURCE,
    kind: UPGRADE_PLAN_REQUEST_KIND,
    schema: upgradePlanRequestSchema(),
    async respond({ spec, parent: cluster }) {
      const { metadata, status } = cluster;
      const refuse = (reason: string) => refusal(cluster, UPGRADE_PLAN_SUBRESOURCE, reason);
      if (metadata.deletionTimestamp !== undefined) throw refuse('the cluster is being deleted');
      if (status?.version === undefined) {
        throw refuse('its control plane is not running any version yet; wait for the condition ControlPlaneReady');
      }
      const plan = planner();
      if (plan === undefined) {
        const message = 'Fairway is starting and has not loaded its clusters yet';
        throw new ApiError(503, 'ServiceUnavailable', message, { retryAfterSeconds: 1 });
      }
      return plan(cluster, spec.version);
    },
  };
}
