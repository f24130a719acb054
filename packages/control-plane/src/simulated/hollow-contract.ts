import type { ClusterSpec } from '@fairway/api/kinds/cluster';
import type { Store } from '@fairway/apiserver/store/store';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { CertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import type { ServiceAccountKeys } from '@fairway/kube/pki/service-account-keys';

/** PEM of what a server shows, and of whom it believes. */
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
  readonly server: {
    listen(options: { host: string; port: number; tls: ServerTls }): Promise<TlsListener>;
  };
  /** Creates what every cluster has and starts controllers; idempotent on a store with content. */
  start(): Promise<void>;
  /** Stops controllers and server. The store is its owner's to close. */
  stop(): Promise<void>;
}

/** What a hollow control plane is made from. */
export interface HollowControlPlaneOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly clusterName: string;
  /** Exact Kubernetes version that it stands in for. */
  readonly version: string;
  readonly podCidr: string;
  readonly serviceCidr: string;
  readonly apiServer: ClusterSpec['apiServer'];
  /** Where clients reach it: for the `kubernetes` Service, cluster-info and the issuer of tokens. */
  readonly endpoint: { readonly host: string; readonly port: number };
  readonly pki: {
    /** Signs certificates of the CSR API. */
    readonly ca: CertificateAuthority;
    /** PEM of every authority that is believed. */
    readonly caBundle: string;
    readonly serviceAccountKeys: ServiceAccountKeys;
  };
}

export type HollowControlPlaneFactory = (
  options: HollowControlPlaneOptions,
) => HollowControlPlane | Promise<HollowControlPlane>;

/** Where the databases of tenant clusters are kept, by cluster UID. */
export interface ClusterStores {
  /** Opens the cluster's store, made when it is new. */
  open(clusterUid: string): Promise<Store>;
  /** Deletes a closed store and all that is in it; nothing happens when there is none. */
  drop(clusterUid: string): Promise<void>;
  list(): Promise<readonly string[]>;
}
