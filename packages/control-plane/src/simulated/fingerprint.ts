import { createHash } from 'node:crypto';
import { trustBundle } from '../pki/cluster-pki.ts';
import type { ControlPlaneSpec } from '../runtime.ts';

/** Tells apart specs that need another start. Names and dates of the server's certificate are not among them. */
export function fingerprintOf(spec: ControlPlaneSpec): string {
  const { version, podCIDR, serviceCIDR, apiServer, pki, dnsNames, ipAddresses } = spec;
  const keyId = pki.serviceAccountKeys.signing.keyId;
  const parts = [version, podCIDR, serviceCIDR, apiServer, trustBundle(pki.cluster), pki.cluster.active.keyId, keyId];
  return createHash('sha256')
    .update(JSON.stringify([...parts, dnsNames, ipAddresses]))
    .digest('hex');
}
