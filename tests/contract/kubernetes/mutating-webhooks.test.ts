import {
  patchResponse,
  reviewResponse,
  type WebhookBehavior,
} from '@fairway/apiserver/outbound/testing/webhook-server';
import type { ConfigMap } from '@fairway/kube/kinds/generated/types';
import { MutatingWebhookConfigurations } from '@fairway/kube/kinds/resources';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exactly, RegisteredWebhooks, rejectionOf } from './registered-webhooks.ts';
import { describeServers } from './targets.ts';

describeServers('mutating webhooks', (server, target) => {
  // Earlier releases have no match conditions, and different messages.
  const isCurrent = target.minor >= 30;
  let hooks: RegisteredWebhooks;

  beforeAll(async () => {
    hooks = await RegisteredWebhooks.open(server());
  });
  afterAll(() => hooks[Symbol.asyncDispose]());

  it.runIf(isCurrent).each<{ reason: string; operations: object[]; expectedMessage?: string | RegExp; data?: object }>([
    {
      reason: 'adds a key',
      operations: [{ op: 'add', path: '/data/by', value: 'webhook' }],
      data: { a: 'b', by: 'webhook' },
    },
    { reason: 'has no operations', operations: [], data: { a: 'b' } },
    {
      reason: 'cannot be applied',
      operations: [{ op: 'remove', path: '/data/none' }],
      expectedMessage: /^500 InternalError Internal error occurred: /,
    },
    {
      reason: 'results in an invalid object',
      operations: [{ op: 'replace', path: '/metadata/labels', value: { 'not valid!': 'x' } }],
      expectedMessage: /^422 Invalid ConfigMap "some" is invalid: metadata\.labels: Invalid value: "not valid!": /,
    },
  ])('handles a patch that $reason', async ({ operations, expectedMessage = '', data }) => {
    const label = server().name('m');
    hooks.webhooks.reply('/m.example.org', (review) => reviewResponse(review, patchResponse(...operations)));
    await hooks.register(MutatingWebhookConfigurations, label, { name: 'm.example.org' });
    const write = hooks.create({ labels: { hooked: label } }, { data: { a: 'b' } });
    const refusal = await rejectionOf(write);
    await hooks.unregister(MutatingWebhookConfigurations, label);

    expect(refusal).toMatch(exactly(expectedMessage));
    expect(data && (await write).data).toEqual(data);
  });

  it.runIf(isCurrent)('does not make a user the owner of a field that a webhook sets', async () => {
    const label = server().name('owner');
    hooks.webhooks.reply('/owner.example.org', (review) =>
      reviewResponse(review, patchResponse({ op: 'add', path: '/data/by', value: 'webhook' })),
    );
    await hooks.register(MutatingWebhookConfigurations, label, { name: 'owner.example.org' });
    const { metadata, data } = await hooks.create({ labels: { hooked: label } }, { data: { a: 'b' } });
    await hooks.unregister(MutatingWebhookConfigurations, label);

    expect(data).toEqual({ a: 'b', by: 'webhook' });
    expect(metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1?.['f:data'])).toEqual([{ '.': {}, 'f:a': {} }]);
  });

  it.runIf(isCurrent)('calls a webhook again, if requested, after a later webhook has changed the object', async () => {
    const label = server().name('again');
    const count: WebhookBehavior = (review) => {
      const { data } = review.request['object'] as ConfigMap;
      return reviewResponse(
        review,
        patchResponse({
          op: 'add',
          path: '/data/seen',
          value: `${data?.['seen'] ?? ''}${Object.keys(data ?? {}).length}`,
        }),
      );
    };
    const later: WebhookBehavior = (review) =>
      reviewResponse(review, patchResponse({ op: 'add', path: '/data/x', value: 'y' }));
    hooks.webhooks.reply('/first.example.org', count);
    hooks.webhooks.reply('/second.example.org', count);
    hooks.webhooks.reply('/third.example.org', later);
    await hooks.register(
      MutatingWebhookConfigurations,
      label,
      { name: 'first.example.org', reinvocationPolicy: 'IfNeeded' },
      { name: 'second.example.org' },
      { name: 'third.example.org' },
    );
    const { data } = await hooks.create({ labels: { hooked: label } }, { data: { a: 'b' } });
    await hooks.unregister(MutatingWebhookConfigurations, label);

    expect(data).toEqual({ a: 'b', seen: '123', x: 'y' });
  });
});
