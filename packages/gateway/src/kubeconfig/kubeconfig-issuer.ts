import { isHibernationWanted } from '@fairway/api/domain/hibernation';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import {
  KUBECONFIG_REQUEST_KIND,
  KUBECONFIG_SUBRESOURCE,
  type KubeconfigRequest,
  kubeconfigRequestSchema,
} from '@fairway/api/kinds/kubeconfig-request';
import type { UserInfo } from '@fairway/apiserver/auth/user';
import { validateObject } from '@fairway/apiserver/schema/validate';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { mintKubeconfig } from '@fairway/control-plane/kubeconfig';
import type { Endpoint } from '@fairway/control-plane/runtime';
import type { EventRecorder } from '@fairway/kube/events/recorder';
import { conflict } from '@fairway/kube/object/api-error';
import { invalid } from '@fairway/kube/object/field-error';
import { apiVersionOf, type KubeObject } from '@fairway/kube/object/meta';
import type { ClusterCredentials } from '@fairway/tenancy/credentials/credentials';

export interface KubeconfigIssuerOptions {
  readonly credentials: () => ClusterCredentials;
  readonly events: () => EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
}

/** An authorized POST to `clusters/NAME/kubeconfig`. */
export interface KubeconfigDemand {
  /** A KubeconfigRequest by its kind; its fields are not validated yet. */
  readonly body: KubeObject | undefined;
  readonly cluster: Cluster;
  readonly user: UserInfo;
  readonly dryRun: boolean;
}

export type KubeconfigIssuer = (demand: KubeconfigDemand) => Promise<KubeconfigRequest>;

/**
 * Issues short-lived credentials for tenants' clusters to the requesting user; shared by both forms of the gateway. Each one is
 * reported in an Event and in the log.
 */
export function kubeconfigIssuer({ credentials, events, clock, log }: KubeconfigIssuerOptions): KubeconfigIssuer {
  const schema = kubeconfigRequestSchema();
  return async ({ body, cluster, user, dryRun }) => {
    const { name = '', namespace = '' } = cluster.metadata;
    const request = body as KubeconfigRequest;
    const errors = validateObject(request, undefined, schema, new Map());
    if (errors.length > 0) throw invalid(KUBECONFIG_REQUEST_KIND, name, errors);
    const endpoint = endpointOf(cluster);
    if (dryRun) return request;
    const status = await mintKubeconfig({
      clusterName: name,
      endpoint,
      pki: await credentials().pki(cluster),
      username: tenantUserName(user.username),
      expirationSeconds: request.spec.expirationSeconds,
      clock,
    });
    const { expirationTimestamp } = status;
    const fields = { cluster: `${namespace}/${name}`, user: user.username, expires: expirationTimestamp };
    log.info(fields, 'kubeconfig issued');
    const message = `${user.username} got a kubeconfig that expires at ${expirationTimestamp}`;
    events().normal(cluster, 'KubeconfigIssued', message);
    const { kind } = KUBECONFIG_REQUEST_KIND;
    const apiVersion = apiVersionOf(KUBECONFIG_REQUEST_KIND);
    return { apiVersion, kind, metadata: { name, namespace }, spec: request.spec, status };
  };
}

/**
 * The endpoint of the cluster's API server. A cluster that is being deleted has no CAs any more, and must not be given new
 * ones.
 */
function endpointOf(cluster: Cluster): Endpoint {
  const { metadata, status } = cluster;
  const subject = {
    group: clusters.group,
    resource: `${clusters.plural}/${KUBECONFIG_SUBRESOURCE}`,
    ...(metadata.name !== undefined && { name: metadata.name }),
  };
  if (metadata.deletionTimestamp !== undefined) throw conflict(subject, 'the cluster is being deleted');
  if (isHibernationWanted(cluster)) {
    const wake = `wake it with "fairway cluster wake ${metadata.name}", and wait for the condition Ready`;
    throw conflict(subject, `the cluster is hibernated, and its API server rests: ${wake}`);
  }
  if (status?.endpoint === undefined) {
    throw conflict(subject, 'its control plane is not ready yet; wait for the condition ControlPlaneReady');
  }
  return status.endpoint;
}

/** Names with Kubernetes' prefix have a special meaning in the tenant's cluster, so another prefix is added. */
function tenantUserName(username: string): string {
  return username.startsWith('system:') ? `fairway:${username}` : username;
}
