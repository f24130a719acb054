import { X509Certificate } from 'node:crypto';
import type { Clock } from '@fairway/base/clock';
import type { Informer } from '@fairway/kube/client/informer';
import type { ResourceClient } from '@fairway/kube/client/resource-client';
import type { Reconcile } from '@fairway/kube/controller/result';
import type { CertificateSigningRequest } from '@fairway/kube/kinds/generated/types';
import { isApiError } from '@fairway/kube/object/api-error';

const HOUR_MS = 3_600_000;
const PENDING_TTL_MS = 24 * HOUR_MS;

/**
 * When a request is deleted (kube-controller-manager's csrcleaner): decided requests after an hour, others after a day.
 */
export function certificateRequestExpiryMs({ metadata, status }: CertificateSigningRequest): number {
  const conditions = status?.conditions ?? [];
  if (conditions.length === 0) return timeOf(metadata.creationTimestamp) + PENDING_TTL_MS;
  let expiryMs = Number.POSITIVE_INFINITY;
  for (const { type, lastUpdateTime } of conditions) {
    const isWaiting = type === 'Approved' && !status?.certificate;
    const isFinal = ['Approved', 'Denied', 'Failed'].includes(type);
    if (isFinal) expiryMs = Math.min(expiryMs, timeOf(lastUpdateTime) + (isWaiting ? PENDING_TTL_MS : HOUR_MS));
  }
  return Math.min(expiryMs, certificateEndMs(status?.certificate));
}

/** A condition without a time never makes the request expire, like a zero time in upstream. */
function timeOf(timestamp: string | undefined): number {
  return timestamp === undefined ? Number.POSITIVE_INFINITY : Date.parse(timestamp);
}

/**
 * Parsed by OpenSSL: after a restart, the certificates of all requests are parsed at once, and full parsing takes 20
 * times as long.
 */
function certificateEndMs(certificate: string | undefined): number {
  if (!certificate) return Number.POSITIVE_INFINITY;
  try {
    const endMs = new X509Certificate(Buffer.from(certificate, 'base64')).validToDate.getTime();
    return Number.isNaN(endMs) ? Number.POSITIVE_INFINITY : endMs;
  } catch {
    return Number.POSITIVE_INFINITY; // An external signer may write anything; the hour after approval applies.
  }
}

export interface CertificateCleanerOptions {
  readonly requests: Pick<Informer<CertificateSigningRequest>, 'get'>;
  readonly client: Pick<ResourceClient<CertificateSigningRequest>, 'delete'>;
  readonly clock: Clock;
}

/** Deletes old requests, because nodes keep creating new ones. */
export function certificateCleaner({ requests, client, clock }: CertificateCleanerOptions): Reconcile {
  return async (key, { signal }) => {
    const csr = requests.get(key);
    if (csr === undefined) return {};
    const remainingMs = certificateRequestExpiryMs(csr) - clock.now();
    if (remainingMs > 0) return Number.isFinite(remainingMs) ? { requeueAfterMs: remainingMs } : {};
    const { uid } = csr.metadata;
    try {
      await client.delete(key, { signal, ...(uid !== undefined && { uid }) });
    } catch (error) {
      if (!isApiError(error, 'NotFound', 'Conflict')) throw error;
    }
    return {};
  };
}
