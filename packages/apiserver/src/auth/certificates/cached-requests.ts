import type { Informer } from '@fairway/kube/client/informer';
import type { InformerSet } from '@fairway/kube/client/informer-set';
import type { CertificateSigningRequest } from '@fairway/kube/kinds/generated/types';
import { CertificateSigningRequests } from '@fairway/kube/kinds/resources';
import { hasCondition } from './certificate-signer.ts';

/** A request may take 1 MB: parsing a full page, usually 500 requests, would block the event loop. */
const PAGE_SIZE = 20;

/** The requests for the signer and the cleaner. They are kept in full only while they are approved and unsigned. */
export function cachedRequests(informers: InformerSet): Informer<CertificateSigningRequest> {
  return informers.informer(CertificateSigningRequests, { trim: trimRequest, pageSize: PAGE_SIZE });
}

/** For a request that is not ready for signing, the fields that determine signing and deletion. */
export function trimRequest(csr: CertificateSigningRequest): CertificateSigningRequest {
  const { status = {} } = csr;
  const isSigned = status.certificate !== undefined || hasCondition(csr, 'Failed');
  if (hasCondition(csr, 'Approved') && !isSigned) return csr;
  const { name, uid, resourceVersion, creationTimestamp } = csr.metadata;
  return {
    metadata: {
      ...(name !== undefined && { name }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
    },
    spec: { request: '', signerName: csr.spec.signerName },
    status: {
      ...(status.certificate !== undefined && { certificate: status.certificate }),
      conditions: (status.conditions ?? []).map(({ type, status: is, lastUpdateTime }) => ({
        type,
        status: is,
        ...(lastUpdateTime !== undefined && { lastUpdateTime }),
      })),
    },
  };
}
