import { createHash } from 'node:crypto';
import { clientAuthority, clientTrustBundle, trustBundle } from '../pki/cluster-pki.ts';
import type { ControlPlaneSpec } from '../runtime.ts';

/** The same for all specs that differ only in ways that need no restart, such as a renewed server certificate. */
export function fingerprintOf(spec: ControlPlaneSpec): string {
  const { version, podCIDR, serviceCIDR, pki, dnsNames, ipAddresses } = spec;
  // Keystone access is checked for each token, so changing it needs no restart.
  const { keystone: _, ...apiServer } = spec.apiServer;
  const { cluster, serviceAccountKeys } = pki;
  const trusted = [
    trustBundle(cluster),
    clientTrustBundle(pki),
    serviceAccountKeys.verification.map(({ keyId }) => keyId),
  ];
  const signing = [cluster.active.keyId, clientAuthority(pki).keyId, serviceAccountKeys.signing.keyId];
  const parts = [version, podCIDR, serviceCIDR, apiServer, trusted, signing, dnsNames, ipAddresses];
  if (spec.reviewToken !== undefined) parts.push('reviews tokens');
  if (spec.reviewAccess !== undefined) parts.push('reviews access');
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
