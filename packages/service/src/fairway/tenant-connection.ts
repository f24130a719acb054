import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Clock } from '@fairway/base/clock';
import { endpointUrl } from '@fairway/control-plane/kubeconfig';
import { type ClusterPki, trustBundle } from '@fairway/control-plane/pki/cluster-pki';
import {
  COMPONENT_VALIDITY_MS,
  certificateRequirements,
  issueComponentCertificate,
} from '@fairway/control-plane/pki/component-certificates';
import type { ClientCertificate } from '@fairway/kube/client/https-connections';
import { HttpsTransport, type HttpsTransportOptions } from '@fairway/kube/client/https-transport';
import type { Transport } from '@fairway/kube/client/transport';
import type { ClusterCredentials } from '@fairway/tenancy/credentials/credentials';

export interface TenantConnectionOptions {
  readonly clock: Clock;
  /** Uses TLS by default. */
  readonly connect?: ((options: HttpsTransportOptions) => Transport) | undefined;
}

/**
 * Connects to a tenant's API server with a certificate for Fairway's controllers, which is renewed while the connection
 * exists.
 */
export async function connectTenant(
  cluster: Cluster,
  credentials: ClusterCredentials,
  { clock, connect = connectWithTls }: TenantConnectionOptions,
): Promise<Transport> {
  const { endpoint } = cluster.status ?? {};
  if (endpoint === undefined) throw new Error(`cluster ${cluster.metadata.name} has no endpoint yet`);
  const pki = await credentials.pki(cluster);
  return connect({
    server: endpointUrl(endpoint),
    certificateAuthority: trustBundle(pki.cluster),
    clientCertificate: renewedCertificate(() => issueClientCertificate(pki, clock), clock),
    clock,
  });
}

function connectWithTls(options: HttpsTransportOptions): Transport {
  return new HttpsTransport(options);
}

/** Used only for the server's certificate. */
const ANY_SERVICE_CIDR = '10.3.0.0/16';

async function issueClientCertificate(pki: ClusterPki, clock: Clock): Promise<ClientCertificate> {
  const requirements = certificateRequirements({ serviceCIDR: ANY_SERVICE_CIDR, dnsNames: [], ipAddresses: [] });
  const fairwayRequirement = requirements.find(({ component }) => component === 'fairway');
  if (fairwayRequirement === undefined)
    throw new Error('there is no certificate for Fairway among those of a control plane');
  const { certificatePem, privateKeyPem } = await issueComponentCertificate(pki, fairwayRequirement, clock);
  return { certificate: certificatePem, privateKey: privateKeyPem };
}

/** Issued on first use, and renewed after two thirds of its lifetime. */
function renewedCertificate(issue: () => Promise<ClientCertificate>, clock: Clock): () => Promise<ClientCertificate> {
  let current: { readonly certificate: Promise<ClientCertificate>; readonly renewAtMs: number } | undefined;
  return () => {
    if (current === undefined || clock.now() >= current.renewAtMs) {
      current = { certificate: issue(), renewAtMs: clock.now() + (COMPONENT_VALIDITY_MS * 2) / 3 };
    }
    return current.certificate;
  };
}
