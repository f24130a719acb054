import { shouldHibernate } from '@fairway/api/domain/hibernation';
import { isBeingWiped } from '@fairway/api/domain/reset';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import {
  KUBECONFIG_REQUEST_KIND,
  KUBECONFIG_SUBRESOURCE,
  type KubeconfigRequest,
  kubeconfigRequestSchema,
} from '@fairway/api/kinds/kubeconfig-request';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { mintKubeconfig } from '@fairway/control-plane/kubeconfig';
import type { Endpoint } from '@fairway/control-plane/runtime';
import { describeUser } from '@fairway/identity/user-info';
import type { EventRecorder } from '@fairway/kube/events/recorder';
import { invalid } from '@fairway/kube/object/field-error';
import { PkiError } from '@fairway/kube/pki/pki-error';
import type { ClusterCredentials } from '@fairway/tenancy/credentials/credentials';
import { type ClusterRequest, refusal } from '../requests/parent-request.ts';

export interface KubeconfigRequestOptions {
  readonly credentials: () => ClusterCredentials;
  readonly events: () => EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Short-lived credentials for tenants' clusters, for the requesting user. Each credential is reported in an Event and
 * in the log.
 */
export function kubeconfigRequest({
  credentials,
  events,
  clock,
  log,
}: KubeconfigRequestOptions): ClusterRequest<KubeconfigRequest> {
  return {
    of: clusters,
    subresource: KUBECONFIG_SUBRESOURCE,
    kind: KUBECONFIG_REQUEST_KIND,
    schema: kubeconfigRequestSchema(),
    async respond({ spec, parent: cluster, user, dryRun }) {
      const { name = '', namespace = '' } = cluster.metadata;
      const endpoint = endpointOf(cluster);
      if (dryRun) return undefined;
      const userCertificate = mintKubeconfig({
        clusterName: name,
        endpoint,
        // Another process may have revoked kubeconfigs or rotated the CAs.
        pki: await credentials().currentPki(cluster),
        username: tenantUserName(user.username),
        expirationSeconds: spec.expirationSeconds,
        certificateRequest: spec.certificateRequest,
        clock,
      });
      const status = await userCertificate.catch((error: unknown) => {
        throw error instanceof PkiError ? unreadablePkiError(name, error) : error;
      });
      const { expirationTimestamp } = status;
      const fields = { cluster: `${namespace}/${name}`, user: user.username, expires: expirationTimestamp };
      log.info(fields, 'kubeconfig issued');
      const message = `${describeUser(user)} was issued a kubeconfig that expires at ${expirationTimestamp}`;
      events().normal(cluster, 'KubeconfigIssued', message);
      return status;
    },
  };
}

function unreadablePkiError(name: string, { message }: PkiError): Error {
  const error = { type: 'FieldValueInvalid', field: 'spec.certificateRequest', detail: message } as const;
  return invalid(KUBECONFIG_REQUEST_KIND, name, [error]);
}

/**
 * The endpoint of the cluster's API server. A cluster that is being deleted no longer has CAs, and must not be given new ones.
 */
function endpointOf(cluster: Cluster): Endpoint {
  const { metadata, status } = cluster;
  const refuse = (reason: string) => refusal(cluster, KUBECONFIG_SUBRESOURCE, reason);
  if (metadata.deletionTimestamp !== undefined) throw refuse('the cluster is being deleted');
  if (shouldHibernate(cluster)) {
    const wake = `wake it with "fairway cluster wake ${metadata.name}", and wait for the condition Ready`;
    throw refuse(`the cluster is hibernated, and its API server is stopped: ${wake}`);
  }
  if (isBeingWiped(cluster) || (status?.reset?.phase === 'Starting' && status.caCertificate === undefined)) {
    throw refuse('the cluster is being reset and will get new certificates; wait for the condition Ready');
  }
  if (status?.endpoint === undefined) {
    throw refuse('its control plane is not ready yet; wait for the condition ControlPlaneReady');
  }
  return status.endpoint;
}

/** Names with Kubernetes' prefix have a special meaning in the tenant's cluster, so another prefix is added. */
export function tenantUserName(username: string): string {
  return username.startsWith('system:') ? `fairway:${username}` : username;
}
