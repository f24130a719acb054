import {
  AUTOSCALER_CONFIG_REQUEST_KIND,
  AUTOSCALER_CONFIG_SUBRESOURCE,
  type AutoscalerConfigRequest,
  autoscalerConfigRequestSchema,
} from '@fairway/api/kinds/autoscaler-config-request';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { validateObject } from '@fairway/apiserver/schema/validate';
import type { CustomSubresource } from '@fairway/apiserver/server/resource';
import type { Logger } from '@fairway/base/log';
import type { EventRecorder } from '@fairway/kube/events/recorder';
import { conflict } from '@fairway/kube/object/api-error';
import { invalid } from '@fairway/kube/object/field-error';
import { apiVersionOf } from '@fairway/kube/object/meta';

/** Issues what an autoscaler of the cluster is let in with. */
export type IssueAutoscalerConfig = (
  cluster: Cluster,
  validityMs: number,
) => Promise<NonNullable<AutoscalerConfigRequest['status']>>;

export interface AutoscalerConfigOptions {
  /** Undefined where no externalgrpc server runs. */
  readonly issuer: () => IssueAutoscalerConfig | undefined;
  readonly events: () => EventRecorder;
  readonly log: Logger;
}

/** `clusters/autoscalerconfig` on the embedded server. Each certificate is reported in an Event and in the log. */
export function autoscalerConfigSubresource({ issuer, events, log }: AutoscalerConfigOptions): CustomSubresource {
  const kind = AUTOSCALER_CONFIG_REQUEST_KIND;
  const schema = autoscalerConfigRequestSchema();
  return {
    kind,
    schema,
    async create({ body, parent, user, dryRun }) {
      const cluster = parent as Cluster;
      const { name = '', namespace = '' } = cluster.metadata;
      const request = body as AutoscalerConfigRequest;
      const errors = validateObject(request, undefined, schema, new Map());
      if (errors.length > 0) throw invalid(kind, name, errors);
      const refused = (why: string) =>
        conflict({ group: clusters.group, resource: `${clusters.plural}/${AUTOSCALER_CONFIG_SUBRESOURCE}`, name }, why);
      if (cluster.metadata.deletionTimestamp !== undefined) throw refused('the cluster is being deleted');
      if (cluster.spec.autoscaler.mode !== 'External') {
        throw refused('the cluster is scaled by Fairway: set spec.autoscaler.mode to External first');
      }
      const issue = issuer();
      if (issue === undefined) {
        throw refused(
          'this Fairway serves no external autoscalers: its operator has not set externalAutoscaler.listen',
        );
      }
      if (dryRun) return request;
      const status = await issue(cluster, request.spec.expirationSeconds * 1000);
      const { expirationTimestamp } = status;
      const fields = { cluster: `${namespace}/${name}`, user: user.username, expires: expirationTimestamp };
      log.info(fields, 'certificate of an external autoscaler issued');
      const message = `${user.username} got a certificate for the cluster's autoscaler that expires at ${expirationTimestamp}`;
      events().normal(cluster, 'AutoscalerConfigIssued', message);
      return {
        apiVersion: apiVersionOf(kind),
        kind: kind.kind,
        metadata: { name, namespace },
        spec: request.spec,
        status,
      };
    },
  };
}
