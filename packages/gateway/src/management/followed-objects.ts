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
import { ROOTS_SECRET } from './gateway-roots.ts';

/** The objects of the management cluster that the gateway depends on, each watched by name. */
export interface FollowedObjects {
  /** CAs of client certificates. */
  readonly authentication: Informer<ConfigMap>;
  /** State shared by all replicas. */
  readonly roots: Informer<Secret>;
  readonly configurations: Informer<ValidatingWebhookConfiguration>;
  whenSynced(): Promise<void>;
  /** Resolves when the watches have stopped, after the signal. */
  stopped(): Promise<void>;
}

export function followObjects(
  client: KubeClient,
  signal: AbortSignal,
  options: { readonly clock: Clock; readonly random: () => number; readonly log: Logger },
): FollowedObjects {
  const informers = new InformerSet(client, options);
  const named = (name: string) => ({ fieldSelector: `metadata.name=${name}` });
  const followed = {
    authentication: authenticationConfig(informers),
    roots: informers.informer(Secrets, { namespace: SYSTEM_NAMESPACE, ...named(ROOTS_SECRET) }),
    configurations: informers.informer(ValidatingWebhookConfigurations, named(WEBHOOK_NAME)),
  };
  informers.start(signal);
  return { ...followed, whenSynced: () => informers.whenSynced(), stopped: () => informers.stopped() };
}
