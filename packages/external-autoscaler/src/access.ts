import { X509Certificate } from 'node:crypto';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { RecentMap } from '@fairway/base/recent-map';
import type { Informer } from '@fairway/kube/client/informer';
import { BACKDATE_MS } from '@fairway/kube/pki/certificate-authority';
import { clustersByIdentity } from '@fairway/tenancy/cache-indexes';
import { status } from '@grpc/grpc-js';
import { CallError, failedPrecondition } from './call-error.ts';

/** Organization of the certificates; their common name is the cluster's identity. */
export const AUTOSCALERS = 'fairway:external-autoscalers';

interface Bearer {
  readonly clusterIdentity: string;
  readonly issuedMs: number;
  readonly notAfterMs: number;
}

/** Tells from a certificate that TLS has verified which cluster its holder speaks for. Nothing else in a call does. */
export class Access {
  readonly #clusters: Pick<Informer<Cluster>, 'find'>;
  /** Reading a certificate takes a while, and each call brings one. */
  readonly #known = new RecentMap<Bearer>(1024);

  constructor(clusters: Pick<Informer<Cluster>, 'find'>) {
    this.#clusters = clusters;
  }

  /** Throws a CallError for a certificate that has ended, was revoked, or whose cluster is gone or not scaled from outside. */
  clusterOf(raw: Buffer | undefined, nowMs: number): Cluster {
    const bearer = raw && this.#bearerOf(raw);
    if (bearer === undefined) throw unauthenticated('the client certificate is not one of an external autoscaler');
    // A connection outlives the certificate that opened it.
    if (bearer.notAfterMs <= nowMs)
      throw unauthenticated('the client certificate has expired: get another cloud-config');
    const [cluster] = this.#clusters.find(clustersByIdentity, bearer.clusterIdentity);
    if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined) {
      throw unauthenticated('the cluster of the client certificate is gone');
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

  #bearerOf(raw: Buffer): Bearer | undefined {
    const key = raw.toString('base64');
    const known = this.#known.get(key);
    if (known) return known;
    const certificate = new X509Certificate(raw);
    const names = certificate.subject.split('\n');
    const clusterIdentity = names.find((name) => name.startsWith('CN='))?.slice('CN='.length);
    if (!names.includes(`O=${AUTOSCALERS}`) || !clusterIdentity) return undefined;
    const bearer = {
      clusterIdentity,
      issuedMs: certificate.validFromDate.getTime() + BACKDATE_MS,
      notAfterMs: certificate.validToDate.getTime(),
    };
    this.#known.set(key, bearer);
    return bearer;
  }
}

function unauthenticated(message: string): CallError {
  return new CallError(status.UNAUTHENTICATED, message);
}
