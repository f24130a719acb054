import type { ClusterSpec } from '@fairway/api/kinds/cluster';
import type { Auditor } from '@fairway/apiserver/audit/auditor';
import type { OutboundPolicy } from '@fairway/apiserver/outbound/outbound-policy';
import type { Store } from '@fairway/apiserver/store/store';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { LocalServer } from '@fairway/kube/client/local-servers';
import type { CertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import type { ServiceAccountKeys } from '@fairway/kube/pki/service-account-keys';
import type { ReviewAccess, ReviewToken } from '../runtime.ts';

/** PEM of a server's certificate and key, and of the CAs that it trusts. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
  readonly clientCa: string;
}

/** The part of `Listener` of packages/apiserver/src/server that the runtime uses. */
export interface TlsListener {
  readonly port: number;
  setTls(tls: ServerTls): void;
  close(): Promise<void>;
}

/** The part of a hollow control plane that the runtime uses. */
export interface HollowControlPlane {
  readonly server: Pick<LocalServer, 'connect'> & {
    listen(options: { host: string; port: number; tls: ServerTls }): Promise<TlsListener>;
  };
  /** Creates the objects that every cluster has, and starts controllers; idempotent on a store with content. */
  start(): Promise<void>;
  /** Stops controllers and server. The owner of the store closes it. */
  stop(): Promise<void>;
}

/** Dependencies of a hollow control plane. */
export interface HollowControlPlaneOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly clusterName: string;
  /** The exact Kubernetes version that the control plane reports. */
  readonly version: string;
  readonly podCidr: string;
  readonly serviceCidr: string;
  readonly apiServer: ClusterSpec['apiServer'];
  /** Reviews tokens that are not the cluster's own. */
  readonly reviewToken?: ReviewToken | undefined;
  /** Logs requests; requests are not logged if absent. */
  readonly auditor?: Auditor | undefined;
  /** Grants permissions in addition to the node authorizer and RBAC. */
  readonly reviewAccess?: ReviewAccess | undefined;
  /** The published endpoint, for the `kubernetes` Service, cluster-info and the issuer of tokens. */
  readonly endpoint: { readonly host: string; readonly port: number };
  /** Allowed destinations of its API server. */
  readonly outbound: OutboundPolicy;
  readonly pki: {
    /** Signs certificates of the CSR API. */
    readonly ca: CertificateAuthority;
    /** PEM of every CA that may have signed the server's certificate. */
    readonly caBundle: string;
    /** PEM of every CA whose clients are admitted. */
    readonly clientCaBundle: string;
    readonly serviceAccountKeys: ServiceAccountKeys;
    /** Authenticates this API server to aggregated API servers. */
    readonly frontProxy: { readonly ca: CertificateAuthority; readonly caBundle: string };
  };
}

export type HollowControlPlaneFactory = (
  options: HollowControlPlaneOptions,
) => HollowControlPlane | Promise<HollowControlPlane>;

/** The databases of tenant clusters, by cluster UID. */
export interface ClusterStores {
  /** Opens the cluster's store, creating it if needed. */
  open(clusterUid: string): Promise<Store>;
  /** Deletes a closed store with its content; has no effect if there is none. */
  drop(clusterUid: string): Promise<void>;
  list(): Promise<readonly string[]>;
}
