import { createHash } from 'node:crypto';
import { clientAuthority, clientTrustBundle, trustBundle } from '../pki/cluster-pki.ts';
import type { ControlPlaneSpec } from '../runtime.ts';

/** Identifies specs whose difference requires a restart. A renewed server certificate does not. */
export function fingerprintOf(spec: ControlPlaneSpec): string {
  const { version, podCIDR, serviceCIDR, pki, dnsNames, ipAddresses } = spec;
  // User admission is decided per token.
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
