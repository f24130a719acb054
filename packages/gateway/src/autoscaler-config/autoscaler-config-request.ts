import {
  AUTOSCALER_CONFIG_REQUEST_KIND,
  AUTOSCALER_CONFIG_SUBRESOURCE,
  type AutoscalerConfigRequest,
  autoscalerConfigRequestSchema,
} from '@fairway/api/kinds/autoscaler-config-request';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import type { Logger } from '@fairway/base/log';
import { describeUser } from '@fairway/identity/user-info';
import type { EventRecorder } from '@fairway/kube/events/recorder';
import { type ClusterRequest, refusal } from '../requests/parent-request.ts';

/** Issues the credentials of a cluster's autoscaler. */
export type IssueAutoscalerConfig = (
  cluster: Cluster,
  validityMs: number,
) => Promise<NonNullable<AutoscalerConfigRequest['status']>>;

export interface AutoscalerConfigOptions {
  /** Undefined if no externalgrpc server is running. */
  readonly issuer: () => IssueAutoscalerConfig | undefined;
  readonly events: () => EventRecorder;
  readonly log: Logger;
}

/** Credentials for a cluster's own autoscaler. Each certificate is reported in an Event and in the log. */
export function autoscalerConfigRequest({
  issuer,
  events,
  log,
}: AutoscalerConfigOptions): ClusterRequest<AutoscalerConfigRequest> {
  return {
    of: clusters,
    subresource: AUTOSCALER_CONFIG_SUBRESOURCE,
    kind: AUTOSCALER_CONFIG_REQUEST_KIND,
    schema: autoscalerConfigRequestSchema(),
    async respond({ spec, parent: cluster, user, dryRun }) {
      const { name = '', namespace = '' } = cluster.metadata;
      const refuse = (reason: string) => refusal(cluster, AUTOSCALER_CONFIG_SUBRESOURCE, reason);
      if (cluster.metadata.deletionTimestamp !== undefined) throw refuse('the cluster is being deleted');
      if (cluster.spec.autoscaler.mode !== 'External') {
        throw refuse('the cluster is scaled by Fairway: set spec.autoscaler.mode to External first');
      }
      const issue = issuer();
      if (issue === undefined) {
        throw refuse('external autoscalers are not enabled: the operator has not set externalAutoscaler.listen');
      }
      if (dryRun) return undefined;
      const status = await issue(cluster, spec.expirationSeconds * 1000);
      const { expirationTimestamp } = status;
      const fields = { cluster: `${namespace}/${name}`, user: user.username, expires: expirationTimestamp };
      log.info(fields, 'issued a certificate for an external autoscaler');
      const message = `${describeUser(user)} was issued a certificate for the cluster's autoscaler, which expires at ${expirationTimestamp}`;
      events().normal(cluster, 'AutoscalerConfigIssued', message);
      return status;
    },
  };
}
