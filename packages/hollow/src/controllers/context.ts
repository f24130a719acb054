import type { ServiceAccountTokenSubject } from '@fairway/apiserver/auth/service-account-tokens';
import type { QuotaLedger } from '@fairway/apiserver/quota/quota-ledger';
import type { Store } from '@fairway/apiserver/store/store';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { InformerSet } from '@fairway/kube/client/informer-set';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { EventRecorder } from '@fairway/kube/events/recorder';
import type { CertificateAuthority } from '@fairway/kube/pki/certificate-authority';

/** What every controller of one hollow cluster shares. */
export interface ControllerContext {
  readonly client: KubeClient;
  readonly informers: InformerSet;
  /** An EventRecorder that speaks as this component. */
  events(component: string): EventRecorder;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** What the server holds now, for a look that needs no cache of its own. */
  readonly reader: ObjectReader;
  /** Where the server keeps it, to be told of changes without a watch. */
  readonly store: Store;
  readonly ledger: QuotaLedger;
  readonly podCidr: string;
  readonly ca: CertificateAuthority;
  /** PEM of every authority that the cluster believes. */
  readonly caBundle: string;
  /** A token of this cluster's issuer, for the API server. */
  signToken(subject: ServiceAccountTokenSubject, expirationSeconds: number): Promise<string>;
}
