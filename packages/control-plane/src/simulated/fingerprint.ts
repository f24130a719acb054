import { createHash } from 'node:crypto';
import { trustBundle } from '../pki/cluster-pki.ts';
import type { ControlPlaneSpec } from '../runtime.ts';

/** Identifies specs whose difference requires a restart. A renewed server certificate does not. */
export function fingerprintOf(spec: ControlPlaneSpec): string {
  const { version, podCIDR, serviceCIDR, apiServer, pki, dnsNames, ipAddresses } = spec;
  const keyId = pki.serviceAccountKeys.signing.keyId;
  const parts = [version, podCIDR, serviceCIDR, apiServer, trustBundle(pki.cluster), pki.cluster.active.keyId, keyId];
  return createHash('sha256')
    .update(JSON.stringify([...parts, dnsNames, ipAddresses]))
    .digest('hex');
}
