import type { CertificateSigningRequest } from '@fairway/kube/kinds/generated/types';
import { type CertificateRequest, parseCertificateRequest } from '@fairway/kube/pki/certificate-request';
import { PkiError } from '@fairway/kube/pki/pki-error';

/** The signers that every cluster has (certificates.k8s.io/v1). */
export const SIGNERS = {
  client: 'kubernetes.io/kube-apiserver-client',
  kubeletClient: 'kubernetes.io/kube-apiserver-client-kubelet',
  kubeletServing: 'kubernetes.io/kubelet-serving',
} as const;

const NODES_ONLY = ['system:nodes'];
const KUBELET_CLIENT = ['digital signature', 'client auth'];
const KUBELET_SERVING = ['digital signature', 'server auth'];

/** The PEM text that `spec.request` contains in base64. */
export function pemOfRequest(request: string): string {
  return Buffer.from(request, 'base64').toString('latin1');
}

/** Undefined for an ambiguous request, which is never signed, so admission does not need to restrict it. */
export function readableRequest({ request }: CertificateSigningRequest['spec']): CertificateRequest | undefined {
  try {
    return parseCertificateRequest(pemOfRequest(request));
  } catch (error) {
    if (error instanceof PkiError) return undefined;
    throw error;
  }
}

/** Why one of `SIGNERS` rejects the request, in upstream's words; undefined if it would sign the request. */
export function signerRefusal(
  { signerName, usages = [] }: CertificateSigningRequest['spec'],
  request: CertificateRequest,
): string | undefined {
  switch (signerName) {
    case SIGNERS.client:
      return clientRefusal(request, usages);
    case SIGNERS.kubeletClient:
      return kubeletClientRefusal(request, usages);
    case SIGNERS.kubeletServing:
      return kubeletServingRefusal(request, usages);
    default:
      return `the signer ${signerName} is not one of Kubernetes`;
  }
}

function clientRefusal({ organizations }: CertificateRequest, usages: readonly string[]): string | undefined {
  // Admission rejects such requests too, but some may have been stored before it was enabled.
  if (organizations.includes('system:masters')) return 'subject organization system:masters is not allowed';
  const foreign = usages.find((usage) => !['digital signature', 'key encipherment', 'client auth'].includes(usage));
  if (foreign !== undefined) return `invalid usage for client certificate: ${foreign}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
}

export function kubeletClientRefusal(request: CertificateRequest, usages: readonly string[]): string | undefined {
  const { organizations, commonName, dnsNames, emailAddresses, ipAddresses, uris } = request;
  if (!isNodesOnly(organizations)) return 'subject organization is not system:nodes';
  if (dnsNames.length > 0) return 'DNS subjectAltNames are not allowed';
  if (emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  if (ipAddresses.length > 0) return 'IP subjectAltNames are not allowed';
  if (uris.length > 0) return 'URI subjectAltNames are not allowed';
  if (!isNodeName(commonName)) return 'subject common name does not begin with system:node:';
  return usagesRefusal(usages, KUBELET_CLIENT);
}

export function kubeletServingRefusal(request: CertificateRequest, usages: readonly string[]): string | undefined {
  const { organizations, commonName, dnsNames, emailAddresses, ipAddresses, uris } = request;
  if (!isNodesOnly(organizations)) return 'subject organization is not system:nodes';
  if (dnsNames.length === 0 && ipAddresses.length === 0) return 'DNS or IP subjectAltName is required';
  if (emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  if (uris.length > 0) return 'URI subjectAltNames are not allowed';
  const refusal = usagesRefusal(usages, KUBELET_SERVING);
  if (refusal !== undefined) return refusal;
  return isNodeName(commonName) ? undefined : 'subject common name does not begin with system:node:';
}

function isNodesOnly(organizations: readonly string[]): boolean {
  return organizations.length === 1 && organizations[0] === NODES_ONLY[0];
}

function isNodeName(commonName: string): boolean {
  return commonName.startsWith('system:node:');
}

/** `key encipherment` is allowed because RSA keys need it. */
function usagesRefusal(usages: readonly string[], required: readonly string[]): string | undefined {
  const rest = new Set(usages.filter((usage) => usage !== 'key encipherment'));
  const isExact = rest.size === required.length && required.every((usage) => rest.has(usage));
  return isExact ? undefined : `usages did not match [${[...required, 'key encipherment'].sort().join(' ')}]`;
}
