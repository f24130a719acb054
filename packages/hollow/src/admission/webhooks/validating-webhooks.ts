import type { AdmissionPlugin, AdmissionRequest, WriteInProgress } from '@fairway/apiserver/server/admission';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import { ValidatingWebhookConfigurations } from '@fairway/kube/kinds/resources';
import { callWebhook, type WebhookCallOptions } from './webhook-call.ts';
import { isSelected } from './webhook-selectors.ts';
import { type Match, WebhookSet } from './webhook-set.ts';

/** Calls validating webhooks in parallel; if several reject, the response comes from the first in order. */
export function validatingWebhooks(reader: () => ObjectReader, options: WebhookCallOptions): AdmissionPlugin {
  const webhooks = new WebhookSet(reader, ValidatingWebhookConfigurations);
  async function callWebhooks(
    request: AdmissionRequest,
    write: WriteInProgress,
    matches: readonly Match[],
  ): Promise<void> {
    const called = matches.filter(({ webhook }) => isSelected(webhook, request, reader(), options.authorizer));
    const phase = { type: 'validating', round: 0 } as const;
    const results = await Promise.allSettled(called.map((match) => callWebhook(options, request, write, match, phase)));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }
  return {
    name: 'ValidatingAdmissionWebhook',
    validate(request) {
      const { write } = request;
      if (write === undefined) return undefined;
      const matches = webhooks.matching(request, write);
      return matches.length === 0 ? undefined : callWebhooks(request, write, matches);
    },
  };
}
