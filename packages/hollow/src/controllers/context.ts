import type { ServiceAccountTokenSubject } from '@fairway/apiserver/auth/service-account-tokens';
import type { QuotaLedger } from '@fairway/apiserver/quota/quota-ledger';
import type { ServedKinds } from '@fairway/apiserver/server/served-kinds';
import type { Store } from '@fairway/apiserver/store/store';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { InformerSet } from '@fairway/kube/client/informer-set';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { EventRecorder } from '@fairway/kube/events/recorder';
import type { CertificateAuthority } from '@fairway/kube/pki/certificate-authority';

/** Shared dependencies of the controllers in one hollow cluster. */
export interface ControllerContext {
  readonly client: KubeClient;
  readonly informers: InformerSet;
  /** An EventRecorder for this component. */
  events(component: string): EventRecorder;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Reads current objects from the server, for kinds that don't need an informer. */
  readonly reader: ObjectReader;
  /** The server's store, for change notifications without a watch. */
  readonly store: Store;
  /** The kinds that the server serves. */
  readonly kinds: ServedKinds;
  readonly ledger: QuotaLedger;
  readonly podCidr: string;
  readonly ca: CertificateAuthority;
  /** PEM of every CA that the cluster trusts. */
  readonly caBundle: string;
  /** Whether an aggregated API server serves this group and version. */
  isAggregated(type: { readonly group: string; readonly version: string }): boolean;
  /** A token from this cluster's issuer, for the API server. */
  signToken(subject: ServiceAccountTokenSubject, expirationSeconds: number): Promise<string>;
}
