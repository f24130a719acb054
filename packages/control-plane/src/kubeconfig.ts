import {
  DEFAULT_KUBECONFIG_SECONDS,
  MAX_KUBECONFIG_SECONDS,
  MIN_KUBECONFIG_SECONDS,
} from '@fairway/api/kinds/kubeconfig-request';
import { type Clock, formatTime } from '@fairway/base/clock';
import { renderKubeconfig } from '@fairway/kube/client/kubeconfig';
import type { ClusterRoleBinding } from '@fairway/kube/kinds/generated/types';
import { isRequestSignatureValid, parseCertificateRequest } from '@fairway/kube/pki/certificate-request';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';
import { PkiError } from '@fairway/kube/pki/pki-error';
import { type ClusterPki, trustBundle } from './pki/cluster-pki.ts';
import type { Endpoint } from './runtime.ts';

/**
 * Group of every user with a kubeconfig from Fairway. It gets its permissions through RBAC, unlike `system:masters`:
 * the tenant can delete the binding, which revokes the privileges of every credential issued so far.
 */
export const CLUSTER_ADMINS_GROUP = 'fairway:cluster-admins';

export interface KubeconfigMintOptions {
  readonly clusterName: string;
  readonly endpoint: Endpoint;
  readonly pki: ClusterPki;
  /** The requesting user, as authenticated by Fairway; the user name in the cluster's audit log. */
  readonly username: string;
  /** In seconds, from 600 to 86400; one hour by default. */
  readonly expirationSeconds?: number | undefined;
  /**
   * PEM of a PKCS #10 request with the key for the certificate; its names are ignored. By default, a key is generated.
   */
  readonly certificateRequest?: string | undefined;
  readonly clock: Clock;
}

export interface MintedKubeconfig {
  /** YAML, including the certificate and its private key. */
  readonly kubeconfig: string;
  /** PEM; set if there was a certificate request. */
  readonly certificate?: string;
  /** RFC 3339. */
  readonly expirationTimestamp: string;
}

/**
 * Issues a short-lived kubeconfig. Throws a PkiError for a certificate request that can't be parsed or is not signed
 * with its own key. A single client certificate cannot be revoked, so its lifetime is short; `revokeKubeconfigs`
 * revokes all of a cluster's kubeconfigs.
 */
export async function mintKubeconfig(options: KubeconfigMintOptions): Promise<MintedKubeconfig> {
  const { clusterName, endpoint, pki, username, clock, expirationSeconds = DEFAULT_KUBECONFIG_SECONDS } = options;
  if (expirationSeconds < MIN_KUBECONFIG_SECONDS || expirationSeconds > MAX_KUBECONFIG_SECONDS) {
    throw new RangeError(
      `expirationSeconds is ${expirationSeconds}; it must be between ${MIN_KUBECONFIG_SECONDS} and ${MAX_KUBECONFIG_SECONDS}`,
    );
  }
  if (username.startsWith('system:')) {
    throw new RangeError(`"${username}" is reserved for Kubernetes: no kubeconfig is issued for it`);
  }
  const { certificateRequest } = options;
  const publicKey = certificateRequest === undefined ? undefined : requestedKey(certificateRequest);
  const issued = await issueCertificate(pki.users.active, {
    commonName: username,
    organizations: [CLUSTER_ADMINS_GROUP],
    usages: 'client',
    validityMs: expirationSeconds * 1000,
    clock,
    ...(publicKey && { publicKey }),
  });
  const kubeconfig = renderKubeconfig({
    name: clusterName,
    server: endpointUrl(endpoint),
    certificateAuthority: trustBundle(pki.cluster),
    userName: `${clusterName}-${username}`,
    clientCertificate: { certificate: issued.certificatePem, privateKey: issued.privateKeyPem },
  });
  return {
    kubeconfig,
    ...(publicKey && { certificate: issued.certificatePem }),
    expirationTimestamp: formatTime(issued.notAfterMs),
  };
}

/** The public key of a certificate request. Throws unless the request proves possession of the private key. */
function requestedKey(pem: string) {
  const request = parseCertificateRequest(pem);
  if (!isRequestSignatureValid(request)) {
    throw new PkiError('the certificate request is not signed with its own key');
  }
  return request.publicKey;
}

export function endpointUrl({ host, port }: Endpoint): string {
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The ClusterRoleBinding that makes the group's members cluster administrators. */
export function clusterAdminsBinding(): ClusterRoleBinding {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: CLUSTER_ADMINS_GROUP },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: CLUSTER_ADMINS_GROUP }],
  };
}
