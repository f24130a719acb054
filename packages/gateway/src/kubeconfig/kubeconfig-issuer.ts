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

/** One POST to `clusters/NAME/kubeconfig` by somebody who may. */
export interface KubeconfigDemand {
  /** A KubeconfigRequest by its kind; what is in it has not been looked at. */
  readonly body: KubeObject | undefined;
  readonly cluster: Cluster;
  readonly user: UserInfo;
  readonly dryRun: boolean;
}

export type KubeconfigIssuer = (demand: KubeconfigDemand) => Promise<KubeconfigRequest>;

/**
 * Issues short-lived credentials for tenants' clusters in the name of whoever asks; the same behind both forms of the gateway. Every one is
 * told in an Event and in the log.
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
 * Where the cluster's API server is. A cluster on its way out has no roots of trust any more, and must not be given new
 * ones.
 */
function endpointOf({ metadata, status }: Cluster): Endpoint {
  const subject = {
    group: clusters.group,
    resource: `${clusters.plural}/${KUBECONFIG_SUBRESOURCE}`,
    ...(metadata.name !== undefined && { name: metadata.name }),
  };
  if (metadata.deletionTimestamp !== undefined) throw conflict(subject, 'the cluster is being deleted');
  if (status?.endpoint === undefined) {
    throw conflict(subject, 'its control plane is not ready yet; wait for the condition ControlPlaneReady');
  }
  return status.endpoint;
}

/** Names of Kubernetes' own mean something else inside the tenant's cluster, so they are told apart by a prefix. */
function tenantUserName(username: string): string {
  return username.startsWith('system:') ? `fairway:${username}` : username;
}
