import type { MutatingWebhook, RuleWithOperations, ValidatingWebhook } from '@fairway/kube/kinds/generated/types';
import { MutatingWebhookConfigurations, ValidatingWebhookConfigurations } from '@fairway/kube/kinds/resources';
import { setDefaults } from '../defaulting.ts';
import { defineKind } from '../define-kind.ts';
import { AGE, count } from '../printing/column.ts';
import { webhooksErrors } from './webhook-validation.ts';

/** Admission webhooks of users. Hollow clusters assemble the admission plugins that call them. */

function defaultWebhook(webhook: MutatingWebhook | ValidatingWebhook): void {
  setDefaults(webhook, { failurePolicy: 'Fail', matchPolicy: 'Equivalent', timeoutSeconds: 10 });
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
  defaultRules(webhook.rules);
  const service = webhook.clientConfig?.service;
  if (service) setDefaults(service, { port: 443 });
}

function defaultRules(rules: readonly RuleWithOperations[] | undefined): void {
  for (const rule of rules ?? []) setDefaults(rule, { scope: '*' });
}

export const MutatingWebhookConfigurationKind = defineKind(MutatingWebhookConfigurations, {
  definition: 'io.k8s.api.admissionregistration.v1.MutatingWebhookConfiguration',
  categories: ['api-extensions'],
  strategy: {
    default({ webhooks }) {
      for (const webhook of webhooks ?? []) {
        defaultWebhook(webhook);
        setDefaults(webhook, { reinvocationPolicy: 'Never' });
      }
    },
    validate: ({ webhooks }) => webhooksErrors(webhooks),
  },
  columns: [count('Webhooks', ({ webhooks }) => webhooks?.length ?? 0), AGE],
});

export const ValidatingWebhookConfigurationKind = defineKind(ValidatingWebhookConfigurations, {
  definition: 'io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration',
  categories: ['api-extensions'],
  strategy: {
    default({ webhooks }) {
      for (const webhook of webhooks ?? []) defaultWebhook(webhook);
    },
    validate: ({ webhooks }) => webhooksErrors(webhooks),
  },
  columns: [count('Webhooks', ({ webhooks }) => webhooks?.length ?? 0), AGE],
});
