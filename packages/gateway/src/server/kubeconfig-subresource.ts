import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import {
  KUBECONFIG_REQUEST_KIND,
  type KubeconfigRequest,
  kubeconfigRequestSchema,
} from '@fairway/api/kinds/kubeconfig-request';
import { mintKubeconfig } from '@fairway/control-plane/kubeconfig';
import type { ClusterCredentials } from '@fairway/controllers/cluster/credentials';
import type { Clock } from '@fairway/kube/clock';
import type { EventRecorder } from '@fairway/kube/events/recorder';
import type { Logger } from '@fairway/kube/log';
import { conflict } from '@fairway/kube/object/api-error';
import { invalid } from '@fairway/kube/object/field-error';
import type { CustomSubresource } from '@fairway/kube/server/resource';

export interface KubeconfigOptions {
  readonly credentials: () => ClusterCredentials;
  readonly events: () => EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
}

/** `clusters/kubeconfig`: a short-lived credential for the tenant's cluster in the name of whoever asks; every one is told in an Event and the log. */
export function kubeconfigSubresource({ credentials, events, clock, log }: KubeconfigOptions): CustomSubresource {
  return {
    kind: KUBECONFIG_REQUEST_KIND,
    schema: kubeconfigRequestSchema(),
    async create({ body, parent, user, name, namespace, dryRun }) {
      const request = body as KubeconfigRequest;
      const cluster = parent as Cluster;
      const { endpoint } = cluster.status ?? {};
      if (endpoint === undefined) {
        throw conflict(
          { group: clusters.group, resource: 'clusters/kubeconfig', name },
          'its control plane is not there yet; wait for the condition ControlPlaneReady',
        );
      }
      if (dryRun) return request;
      const { expirationSeconds } = request.spec;
      const minting = {
        clusterName: name,
        endpoint,
        pki: await credentials().pki(cluster),
        username: tenantUserName(user.username),
        expirationSeconds,
        clock,
      };
      const status = await mintKubeconfig(minting).catch((error: unknown) => {
        if (!(error instanceof RangeError)) throw error;
        const field = {
          type: 'FieldValueInvalid' as const,
          field: 'spec.expirationSeconds',
          value: expirationSeconds,
          detail: error.message,
        };
        throw invalid(KUBECONFIG_REQUEST_KIND, name, [field]);
      });
      log.info(
        { cluster: `${namespace}/${name}`, user: user.username, expires: status.expirationTimestamp },
        'kubeconfig issued',
      );
      events().normal(
        cluster,
        'KubeconfigIssued',
        `${user.username} got a kubeconfig that ends at ${status.expirationTimestamp}`,
      );
      return { ...KUBECONFIG_KIND, metadata: { name, namespace }, spec: request.spec, status };
    },
  };
}

const KUBECONFIG_KIND = {
  apiVersion: `${KUBECONFIG_REQUEST_KIND.group}/${KUBECONFIG_REQUEST_KIND.version}`,
  kind: KUBECONFIG_REQUEST_KIND.kind,
};

/** Names of Kubernetes' own mean something else inside the tenant's cluster, so they are told apart by a prefix. */
function tenantUserName(username: string): string {
  return username.startsWith('system:') ? `fairway:${username}` : username;
}
