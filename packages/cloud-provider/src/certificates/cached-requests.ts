import { hasCondition } from '@fairway/apiserver/auth/certificates/certificate-signer';
import type { Informer } from '@fairway/kube/client/informer';
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from '@fairway/kube/kinds/generated/types';
import { CertificateSigningRequests } from '@fairway/kube/kinds/resources';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { isKubeletRequest, isOversized, OVERSIZED_REQUEST, REQUESTER_GROUPS } from './node-request.ts';

/**
 * A CSR may be up to 1 MB and a cluster may have any number of CSRs: the usual page size of 500 would not fit into
 * memory.
 */
const PAGE_SIZE = 20;
/**
 * Limits the conditions of other types, which a decision preserves. An API server keeps one condition per type, and
 * CSRs have three types of their own.
 */
const MAX_CONDITIONS = 16;
const MAX_MESSAGE_LENGTH = 1_024;
const MAX_USERNAME_LENGTH = 1_024;

/** The cached CSRs of a cluster, reduced to a few KiB each. */
export function requestsOf({ informers }: Pick<TenantCluster, 'informers'>): Informer<CertificateSigningRequest> {
  return informers.informer(CertificateSigningRequests, { trim: trimRequest, pageSize: PAGE_SIZE });
}

export function isDecided(csr: CertificateSigningRequest): boolean {
  return hasCondition(csr, 'Approved') || hasCondition(csr, 'Denied') || hasCondition(csr, 'Failed');
}

/**
 * Keeps what a decision needs. The request field is dropped if the CSR is decided, has a different signer or is too
 * large.
 */
export function trimRequest(csr: CertificateSigningRequest): CertificateSigningRequest {
  const { metadata, spec, status } = csr;
  const { name, uid, resourceVersion, creationTimestamp } = metadata;
  const isRelevant = isKubeletRequest(csr) && !isDecided(csr) && !isOversized(spec.request);
  return {
    metadata: {
      ...(name !== undefined && { name }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
    },
    spec: {
      request: isRelevant ? spec.request : OVERSIZED_REQUEST,
      signerName: spec.signerName,
      ...(spec.usages && { usages: spec.usages }),
      ...(spec.username !== undefined && { username: spec.username.slice(0, MAX_USERNAME_LENGTH) }),
      ...(spec.groups && { groups: spec.groups.filter((group) => REQUESTER_GROUPS.has(group)) }),
    },
    ...(status?.conditions && {
      status: { conditions: status.conditions.slice(0, MAX_CONDITIONS).map(trimCondition) },
    }),
  };
}

function trimCondition({
  message,
  ...condition
}: CertificateSigningRequestCondition): CertificateSigningRequestCondition {
  return { ...condition, ...(message !== undefined && { message: message.slice(0, MAX_MESSAGE_LENGTH) }) };
}
