import {
  DEFAULT_KUBECONFIG_SECONDS,
  MAX_KUBECONFIG_SECONDS,
  MIN_KUBECONFIG_SECONDS,
} from '@fairway/api/kinds/kubeconfig-request';
import { type Clock, formatTime } from '@fairway/base/clock';
import { renderKubeconfig } from '@fairway/kube/client/kubeconfig';
import type { ClusterRoleBinding } from '@fairway/kube/kinds/generated/types';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';
import { type ClusterPki, trustBundle } from './pki/cluster-pki.ts';
import type { Endpoint } from './runtime.ts';

/**
 * Group of everyone who got a kubeconfig from Fairway. A group that RBAC binds, not `system:masters`: the tenant can
 * take the binding away, and every credential that was handed out is worth nothing from then on.
 */
export const CLUSTER_ADMINS_GROUP = 'fairway:cluster-admins';

export interface KubeconfigMinting {
  readonly clusterName: string;
  readonly endpoint: Endpoint;
  readonly pki: ClusterPki;
  /** Who asked, by Fairway's own authentication: the user's name in the cluster's audit log. */
  readonly username: string;
  /** 600 to 86400; one hour by default. */
  readonly expirationSeconds?: number | undefined;
  readonly clock: Clock;
}

export interface MintedKubeconfig {
  /** YAML, with certificate and key in it. */
  readonly kubeconfig: string;
  /** RFC 3339. */
  readonly expirationTimestamp: string;
}

/** A kubeconfig that ends by itself. It can't be revoked on its own, hence the short life. */
export async function mintKubeconfig(minting: KubeconfigMinting): Promise<MintedKubeconfig> {
  const { clusterName, endpoint, pki, username, clock, expirationSeconds = DEFAULT_KUBECONFIG_SECONDS } = minting;
  if (expirationSeconds < MIN_KUBECONFIG_SECONDS || expirationSeconds > MAX_KUBECONFIG_SECONDS) {
    throw new RangeError(
      `expirationSeconds is ${expirationSeconds}; it must be from ${MIN_KUBECONFIG_SECONDS} to ${MAX_KUBECONFIG_SECONDS}`,
    );
  }
  if (username.startsWith('system:')) {
    throw new RangeError(`"${username}" is a name of Kubernetes' own: no kubeconfig is issued in it`);
  }
  const issued = await issueCertificate(pki.cluster.active, {
    commonName: username,
    organizations: [CLUSTER_ADMINS_GROUP],
    usages: 'client',
    validityMs: expirationSeconds * 1000,
    clock,
  });
  if (issued.privateKeyPem === undefined) throw new Error('a certificate was issued without its private key');
  const kubeconfig = renderKubeconfig({
    name: clusterName,
    server: endpointUrl(endpoint),
    certificateAuthority: trustBundle(pki.cluster),
    userName: `${clusterName}-${username}`,
    clientCertificate: { certificate: issued.certificatePem, privateKey: issued.privateKeyPem },
  });
  return { kubeconfig, expirationTimestamp: formatTime(issued.notAfterMs) };
}

export function endpointUrl({ host, port }: Endpoint): string {
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** What makes the group administrators, for the tenant's cluster. */
export function clusterAdminsBinding(): ClusterRoleBinding {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: CLUSTER_ADMINS_GROUP },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: CLUSTER_ADMINS_GROUP }],
  };
}
