import { X509Certificate } from 'node:crypto';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { RecentMap } from '@fairway/base/recent-map';
import type { Informer } from '@fairway/kube/client/informer';
import { BACKDATE_MS } from '@fairway/kube/pki/certificate-authority';
import { clustersByIdentity } from '@fairway/tenancy/cache-indexes';
import { status } from '@grpc/grpc-js';
import { CallError, failedPrecondition } from './call-error.ts';

/** Organization of the certificates; the common name is the cluster's identity. */
export const AUTOSCALER_ORGANIZATION = 'fairway:external-autoscalers';

interface CertificateHolder {
  readonly clusterIdentity: string;
  readonly issuedMs: number;
  readonly notAfterMs: number;
}

/** Determines the caller's cluster only from the certificate that TLS has verified. */
export class AccessControl {
  readonly #clusters: Pick<Informer<Cluster>, 'find'>;
  /** Cache of parsed certificates: parsing is slow, and every call presents a certificate. */
  readonly #holders = new RecentMap<CertificateHolder>(1024);

  constructor(clusters: Pick<Informer<Cluster>, 'find'>) {
    this.#clusters = clusters;
  }

  /**
   * Throws a CallError if the certificate has expired or is revoked, or if its cluster is deleted or not scaled
   * externally.
   */
  clusterOf(raw: Buffer | undefined, nowMs: number): Cluster {
    const bearer = raw && this.#parseHolder(raw);
    if (bearer === undefined) throw unauthenticated('the client certificate does not belong to an external autoscaler');
    // A connection outlives the certificate that opened it.
    if (bearer.notAfterMs <= nowMs)
      throw unauthenticated('the client certificate has expired: get another cloud-config');
    const [cluster] = this.#clusters.find(clustersByIdentity, bearer.clusterIdentity);
    if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined) {
      throw unauthenticated('the cluster of the client certificate no longer exists');
    }
    const { mode, certificatesNotBefore } = cluster.spec.autoscaler;
    if (certificatesNotBefore !== undefined && bearer.issuedMs < Date.parse(certificatesNotBefore)) {
      throw unauthenticated(
        `client certificates issued before ${certificatesNotBefore} are revoked: get another cloud-config`,
      );
    }
    const { emptiedTime } = cluster.status?.reset ?? {};
    if (emptiedTime !== undefined && bearer.issuedMs < Date.parse(emptiedTime)) {
      throw unauthenticated(`the cluster was reset at ${emptiedTime}: get another cloud-config`);
    }
    if (mode !== 'External') {
      throw failedPrecondition(
        `cluster ${cluster.metadata.name} is scaled by Fairway: set spec.autoscaler.mode to External`,
      );
    }
    return cluster;
  }

  /** The cluster identity in a certificate, valid or not; empty if the certificate is not an autoscaler's. */
  holderOf(raw: Buffer | undefined): string {
    return (raw && this.#parseHolder(raw)?.clusterIdentity) ?? '';
  }

  #parseHolder(raw: Buffer): CertificateHolder | undefined {
    const key = raw.toString('base64');
    const cached = this.#holders.get(key);
    if (cached) return cached;
    const certificate = new X509Certificate(raw);
    const names = certificate.subject.split('\n');
    const clusterIdentity = names.find((name) => name.startsWith('CN='))?.slice('CN='.length);
    if (!names.includes(`O=${AUTOSCALER_ORGANIZATION}`) || !clusterIdentity) return undefined;
    const bearer = {
      clusterIdentity,
      issuedMs: certificate.validFromDate.getTime() + BACKDATE_MS,
      notAfterMs: certificate.validToDate.getTime(),
    };
    this.#holders.set(key, bearer);
    return bearer;
  }
}

function unauthenticated(message: string): CallError {
  return new CallError(status.UNAUTHENTICATED, message);
}
