import type { AdmissionPlugin, AdmissionRequest, WriteInProgress } from '@fairway/apiserver/server/admission';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import { ValidatingWebhookConfigurations } from '@fairway/kube/kinds/resources';
import { askWebhook, type WebhookCallOptions } from './webhook-call.ts';
import { isSelected } from './webhook-selectors.ts';
import { type Match, WebhookSet } from './webhook-set.ts';

/** Calls validating webhooks in parallel; the response is from the first one in order that rejects. */
export function validatingWebhooks(reader: () => ObjectReader, options: WebhookCallOptions): AdmissionPlugin {
  const webhooks = new WebhookSet(reader, ValidatingWebhookConfigurations);
  async function ask(request: AdmissionRequest, write: WriteInProgress, matches: readonly Match[]): Promise<void> {
    const called = matches.filter(({ webhook }) => isSelected(webhook, request, reader(), options.authorizer));
    const phase = { type: 'validating', round: 0 } as const;
    const answers = await Promise.allSettled(called.map((match) => askWebhook(options, request, write, match, phase)));
    for (const answer of answers) if (answer.status === 'rejected') throw answer.reason;
  }
  return {
    name: 'ValidatingAdmissionWebhook',
    validate(request) {
      const { write } = request;
      if (write === undefined) return undefined;
      const matches = webhooks.matching(request, write);
      return matches.length === 0 ? undefined : ask(request, write, matches);
    },
  };
}
