import { isDeepStrictEqual } from 'node:util';
import type { Informer } from '@fairway/kube/client/informer';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Reconcile } from '@fairway/kube/controller/result';
import type { ValidatingWebhookConfiguration } from '@fairway/kube/kinds/generated/types';
import { ValidatingWebhookConfigurations } from '@fairway/kube/kinds/resources';
import { WEBHOOK_NAME, type WebhookTarget, webhookConfiguration } from './webhook-configuration.ts';

export interface WebhookRegistrationOptions {
  readonly client: KubeClient;
  readonly configurations: Informer<ValidatingWebhookConfiguration>;
  /** As it is now: authority and path may change. */
  readonly target: () => WebhookTarget;
}

/** Key of the only thing that there is to reconcile. */
export const REGISTRATION_KEY = WEBHOOK_NAME;

/** Keeps kube-apiserver asking this gateway: what anybody else changes of it is put right. */
export function webhookRegistration({ client, configurations, target }: WebhookRegistrationOptions): Reconcile {
  const writer = client.resource(ValidatingWebhookConfigurations);
  return async () => {
    const desired = webhookConfiguration(target());
    const current = configurations.get(WEBHOOK_NAME);
    if (current === undefined) await writer.create(desired);
    else if (!isAsDesired(current, desired)) await writer.update({ ...current, webhooks: desired.webhooks ?? [] });
    return {};
  };
}

/** Whether everything that Fairway says of its webhook is there; a server adds defaults. */
function isAsDesired(current: ValidatingWebhookConfiguration, desired: ValidatingWebhookConfiguration): boolean {
  const [webhook, ...others] = current.webhooks ?? [];
  const [wanted] = desired.webhooks ?? [];
  if (webhook === undefined || wanted === undefined || others.length > 0) return false;
  return Object.entries(wanted).every(([field, value]) =>
    isDeepStrictEqual(webhook[field as keyof typeof webhook], value),
  );
}
