import type { InformerSet } from '@fairway/kube/client/informer-set';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Clock } from '@fairway/kube/clock';
import type { EventRecorder } from '@fairway/kube/events/recorder';
import type { Logger } from '@fairway/kube/log';
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
  readonly podCidr: string;
  readonly ca: CertificateAuthority;
  /** PEM of every authority that the cluster believes. */
  readonly caBundle: string;
}
