import type { CertificateSigningRequest, Node, Pod } from '@fairway/kube/kinds/generated/types';

export function isReady({ status }: Node | Pod): boolean {
  return status?.conditions?.some(({ type, status: state }) => type === 'Ready' && state === 'True') ?? false;
}

/**
 * Whether the cloud provider has set the node's provider ID and address, and the control plane has set its pod range.
 */
export function isKnown({ spec, status }: Node): boolean {
  const hasAddress = status?.addresses?.some(({ type }) => type === 'InternalIP') ?? false;
  return spec?.podCIDR !== undefined && spec.providerID !== undefined && hasAddress;
}

export function isServing({ spec }: CertificateSigningRequest): boolean {
  return spec.signerName === 'kubernetes.io/kubelet-serving';
}
