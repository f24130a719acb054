import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import { authenticationConfig } from '@fairway/apiserver/auth/delegated/client-authority';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { Informer } from '@fairway/kube/client/informer';
import { InformerSet } from '@fairway/kube/client/informer-set';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ConfigMap, Secret, ValidatingWebhookConfiguration } from '@fairway/kube/kinds/generated/types';
import { Secrets, ValidatingWebhookConfigurations } from '@fairway/kube/kinds/resources';
import { WEBHOOK_NAME } from '../webhook/webhook-configuration.ts';
import { GATEWAY_CA_SECRET } from './gateway-ca.ts';

/** The objects in the management cluster that the gateway depends on, each watched by name. */
export interface WatchedObjects {
  /** CAs of client certificates. */
  readonly authentication: Informer<ConfigMap>;
  /** State shared by all replicas. */
  readonly gatewayCa: Informer<Secret>;
  readonly configurations: Informer<ValidatingWebhookConfiguration>;
  synced(): Promise<void>;
  /** Resolves when the watches have stopped, after the signal. */
  stopped(): Promise<void>;
}

export function watchObjects(
  client: KubeClient,
  signal: AbortSignal,
  options: { readonly clock: Clock; readonly random: () => number; readonly log: Logger },
): WatchedObjects {
  const informers = new InformerSet(client, options);
  const byName = (name: string) => ({ fieldSelector: `metadata.name=${name}` });
  const followed = {
    authentication: authenticationConfig(informers),
    gatewayCa: informers.informer(Secrets, { namespace: SYSTEM_NAMESPACE, ...byName(GATEWAY_CA_SECRET) }),
    configurations: informers.informer(ValidatingWebhookConfigurations, byName(WEBHOOK_NAME)),
  };
  informers.start(signal);
  return { ...followed, synced: () => informers.whenSynced(), stopped: () => informers.stopped() };
}
