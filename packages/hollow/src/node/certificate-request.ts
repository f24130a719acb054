import { createHash } from 'node:crypto';
import type { Clock } from '@fairway/base/clock';
import { Informer } from '@fairway/kube/client/informer';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { CertificateSigningRequest } from '@fairway/kube/kinds/generated/types';
import { CertificateSigningRequests } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { createCertificateRequest } from '@fairway/kube/pki/certificate-request';
import type { KeyPair } from '@fairway/kube/pki/key-pair';

export interface DesiredCertificate {
  readonly nodeName: string;
  readonly signerName: 'kubernetes.io/kube-apiserver-client-kubelet' | 'kubernetes.io/kubelet-serving';
  readonly keys: KeyPair;
  /** SANs of the serving certificate. */
  readonly ipAddresses?: readonly string[];
  readonly dnsNames?: readonly string[];
}

/** Thrown when a request was denied; a retry with the same key would also be denied. */
export class CertificateDeniedError extends Error {
  override readonly name = 'CertificateDeniedError';
}

/** Thrown when the request was not approved or denied in time. */
export class CertificateTimeoutError extends Error {
  override readonly name = 'CertificateTimeoutError';
}

/** How long kubelet waits before it retries. */
const CERTIFICATE_TIMEOUT_MS = 15 * 60_000;

/**
 * Requests a certificate and waits until it is issued; resolves with its PEM. The request's name is derived from the
 * key, so a node that restarts while waiting finds its request again.
 */
export async function requestCertificate(
  client: KubeClient,
  desired: DesiredCertificate,
  { clock, random, signal }: { readonly clock: Clock; readonly random: () => number; readonly signal: AbortSignal },
): Promise<string> {
  const request = await certificateSigningRequest(desired);
  const name = request.metadata.name ?? '';
  await client
    .resource(CertificateSigningRequests)
    .create(request, { signal })
    .catch((error: unknown) => {
      if (!isApiError(error, 'AlreadyExists')) throw error;
    });
  const decided = Promise.withResolvers<string>();
  const settle = ({ status, spec }: CertificateSigningRequest) => {
    const refusal = status?.conditions?.find(({ type }) => type === 'Denied' || type === 'Failed');
    if (refusal) {
      const detail = refusal.message ?? refusal.reason ?? refusal.type;
      decided.reject(new CertificateDeniedError(`certificate request ${name} for ${spec.signerName}: ${detail}`));
    } else if (status?.certificate) decided.resolve(Buffer.from(status.certificate, 'base64').toString('utf8'));
  };
  const watching = new AbortController();
  const onAbort = () => decided.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const timeout = clock.after(CERTIFICATE_TIMEOUT_MS, () => {
    decided.reject(new CertificateTimeoutError(`certificate request ${name} was not decided within 15 minutes`));
  });
  const informer = new Informer(client.resource(CertificateSigningRequests), {
    fieldSelector: `metadata.name=${name}`,
    clock,
    random,
  });
  informer.addHandler({ onAdd: settle, onUpdate: (_, updated) => settle(updated) });
  try {
    informer.start(watching.signal);
    return await decided.promise;
  } finally {
    watching.abort();
    timeout.cancel();
    signal.removeEventListener('abort', onAbort);
  }
}

async function certificateSigningRequest(desired: DesiredCertificate): Promise<CertificateSigningRequest> {
  const { nodeName, signerName, keys, ipAddresses = [], dnsNames = [] } = desired;
  const isServing = signerName === 'kubernetes.io/kubelet-serving';
  const pem = await createCertificateRequest({
    commonName: `system:node:${nodeName}`,
    organizations: ['system:nodes'],
    keys,
    ...(isServing && { ipAddresses: [...ipAddresses], dnsNames: [...dnsNames] }),
  });
  const publicKey = new Uint8Array(await crypto.subtle.exportKey('spki', keys.publicKey));
  const identity = createHash('sha256').update(publicKey).update(signerName).update(ipAddresses.join());
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: `node-csr-${identity.digest('hex').slice(0, 43)}` },
    spec: {
      request: Buffer.from(pem).toString('base64'),
      signerName,
      usages: ['digital signature', isServing ? 'server auth' : 'client auth'],
    },
  };
}
