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
  /** The current target; its CA and path may change. */
  readonly target: () => WebhookTarget;
}

/** Key of the single object to reconcile. */
export const REGISTRATION_KEY = WEBHOOK_NAME;

/** Keeps the webhook registered with kube-apiserver, and reverts changes made by other clients. */
export function webhookRegistration({ client, configurations, target }: WebhookRegistrationOptions): Reconcile {
  const webhookWriter = client.resource(ValidatingWebhookConfigurations);
  return async () => {
    const desired = webhookConfiguration(target());
    const current = configurations.get(WEBHOOK_NAME);
    if (current === undefined) await webhookWriter.create(desired);
    else if (!isUpToDate(current, desired))
      await webhookWriter.update({ ...current, webhooks: desired.webhooks ?? [] });
    return {};
  };
}

/** Whether Fairway's webhook configuration is up to date, ignoring defaults that a server adds. */
function isUpToDate(current: ValidatingWebhookConfiguration, desired: ValidatingWebhookConfiguration): boolean {
  const present = current.webhooks ?? [];
  const desiredWebhooks = desired.webhooks ?? [];
  if (present.length !== desiredWebhooks.length) return false;
  return desiredWebhooks.every((webhook, index) =>
    Object.entries(webhook).every(([field, value]) =>
      isDeepStrictEqual(present[index]?.[field as keyof typeof webhook], value),
    ),
  );
}
