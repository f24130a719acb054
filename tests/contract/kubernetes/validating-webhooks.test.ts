import {
  patchResponse,
  reviewResponse,
  type WebhookBehavior,
} from '@fairway/apiserver/outbound/testing/webhook-server';
import type { ConfigMap, MutatingWebhook } from '@fairway/kube/kinds/generated/types';
import { MutatingWebhookConfigurations, ValidatingWebhookConfigurations } from '@fairway/kube/kinds/resources';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CONFIG_MAPS, denied, exactly, RegisteredWebhooks, rejectionOf } from './registered-webhooks.ts';
import { describeServers } from './targets.ts';

const DENIED = 'admission webhook "v.example.org" denied the request';
const FAILED = '500 InternalError Internal error occurred: failed calling webhook "v.example.org": ';

describeServers('validating webhooks', (server, target) => {
  // Earlier releases have no match conditions, and different messages.
  const isCurrent = target.minor >= 30;
  let hooks: RegisteredWebhooks;

  beforeAll(async () => {
    hooks = await RegisteredWebhooks.open(server());
  });
  afterAll(() => hooks[Symbol.asyncDispose]());

  it.runIf(isCurrent).each<{
    reason: string;
    behavior: WebhookBehavior;
    hook?: Partial<MutatingWebhook>;
    expectedMessage: string | RegExp;
  }>([
    { reason: 'allows', behavior: reviewResponse, expectedMessage: '' },
    {
      reason: 'refuses with a message',
      behavior: denied({ status: { message: 'not today', code: 403, reason: 'Forbidden' } }),
      expectedMessage: `403 Forbidden ${DENIED}: not today`,
    },
    {
      reason: 'refuses with only a reason',
      behavior: denied({ status: { reason: 'Conflict', code: 409 } }),
      expectedMessage: `409 Conflict ${DENIED}: Conflict`,
    },
    {
      reason: 'refuses without an explanation',
      behavior: denied({}),
      expectedMessage: `400 Unknown ${DENIED} without explanation`,
    },
    {
      reason: 'refuses with a success code',
      behavior: denied({ status: { code: 200, message: 'no' } }),
      expectedMessage: `400 Unknown ${DENIED}: no`,
    },
    {
      reason: 'responds to another request',
      behavior: (review) => reviewResponse(review, { uid: 'other' }),
      expectedMessage:
        /^500 InternalError .*received invalid webhook response: expected response\.uid="[-0-9a-f]+", got "other"$/,
    },
    {
      reason: 'responds with another kind',
      behavior: ({ request: { uid } }) => ({
        body: { kind: 'Other', apiVersion: 'v1', response: { uid, allowed: true } },
      }),
      expectedMessage: /^500 InternalError Internal error occurred: failed calling webhook "v\.example\.org": /,
    },
    {
      reason: 'responds without a `response` field',
      behavior: () => ({ body: { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' } }),
      expectedMessage: `${FAILED}received invalid webhook response: webhook response was absent`,
    },
    {
      reason: 'patches, although it is a validating webhook',
      behavior: (review) => reviewResponse(review, patchResponse({ op: 'remove', path: '/data' })),
      expectedMessage: `${FAILED}received invalid webhook response: validating webhook may not return response.patch`,
    },
    {
      reason: 'returns 404',
      behavior: () => ({ status: 404, body: 'nothing here' }),
      expectedMessage: `${FAILED}failed to call webhook: the server could not find the requested resource`,
    },
    {
      reason: 'breaks',
      behavior: () => ({ status: 500, body: 'oh no' }),
      expectedMessage: `${FAILED}failed to call webhook: an error on the server ("oh no") has prevented the request from succeeding`,
    },
    {
      reason: 'fails, and is ignored',
      behavior: () => ({ status: 500, body: 'oh no' }),
      hook: { failurePolicy: 'Ignore' },
      expectedMessage: '',
    },
    {
      reason: 'does not respond in time',
      behavior: () => undefined,
      hook: { timeoutSeconds: 1 },
      expectedMessage:
        /^500 InternalError .*failed to call webhook: Post "https:.*\/v\.example\.org\?timeout=1s": context deadline exceeded/,
    },
    {
      reason: 'does not respond in time, and is ignored',
      behavior: () => undefined,
      hook: { timeoutSeconds: 1, failurePolicy: 'Ignore' },
      expectedMessage: '',
    },
    {
      reason: 'has a certificate of an unknown CA',
      behavior: reviewResponse,
      hook: { clientConfig: { url: 'to be set' } },
      expectedMessage:
        /^500 InternalError .*failed to call webhook: Post "https:.*": tls: failed to verify certificate: x509: certificate signed by unknown authority/,
    },
    {
      reason: 'refuses a request that a condition excludes',
      behavior: denied({}),
      hook: { matchConditions: [{ name: 'never', expression: "object.metadata.name != 'some'" }] },
      expectedMessage: '',
    },
    {
      reason: 'refuses a request for which a condition authorizes the user',
      behavior: denied({}),
      hook: {
        matchConditions: [
          { name: 'breaks-glass', expression: "!authorizer.requestResource.check('breakglass').allowed()" },
        ],
      },
      expectedMessage: '',
    },
    {
      reason: 'has a condition that fails',
      behavior: reviewResponse,
      hook: { matchConditions: [{ name: 'bad', expression: "object.data.missing == 'x'" }] },
      expectedMessage:
        /^403 Forbidden configmaps "some" is forbidden: expression 'object\.data\.missing == 'x'' resulted in error: /,
    },
    {
      reason: 'has a condition that fails, and is ignored',
      behavior: denied({}),
      hook: {
        failurePolicy: 'Ignore',
        matchConditions: [{ name: 'bad', expression: "object.data.missing == 'x'" }],
      },
      expectedMessage: '',
    },
    {
      reason: 'is for another namespace',
      behavior: denied({}),
      hook: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'other' } } },
      expectedMessage: '',
    },
    {
      reason: 'is for cluster-scoped objects',
      behavior: denied({}),
      hook: { rules: [{ ...CONFIG_MAPS, scope: 'Cluster' }] },
      expectedMessage: '',
    },
    {
      reason: 'is only for subresources',
      behavior: denied({}),
      hook: { rules: [{ ...CONFIG_MAPS, resources: ['*/status'] }] },
      expectedMessage: '',
    },
    {
      reason: 'matches all requests',
      behavior: denied({}),
      hook: { rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }] },
      expectedMessage: `400 Unknown ${DENIED} without explanation`,
    },
  ])('handles a validating webhook that $reason', async ({ behavior, hook, expectedMessage }) => {
    const label = server().name('v');
    hooks.webhooks.reply('/v.example.org', behavior);
    const own = hook?.clientConfig ? { ...hook, clientConfig: { url: hooks.webhooks.url('/v.example.org') } } : hook;
    await hooks.register(ValidatingWebhookConfigurations, label, { name: 'v.example.org', ...own });
    const refusal = await rejectionOf(hooks.create({ labels: { hooked: label } }));
    await hooks.unregister(ValidatingWebhookConfigurations, label);

    expect(refusal).toMatch(exactly(expectedMessage));
  });
  it.runIf(isCurrent)('runs validating webhooks on the result of mutating ones', async () => {
    const label = server().name('order');
    hooks.webhooks.reply('/sets.example.org', (review) =>
      reviewResponse(review, patchResponse({ op: 'add', path: '/data', value: { by: 'webhook' } })),
    );
    hooks.webhooks.reply('/sees.example.org', (review) => {
      const { data } = review.request['object'] as ConfigMap;
      return reviewResponse(review, { allowed: false, status: { message: JSON.stringify(data) } });
    });
    await hooks.register(MutatingWebhookConfigurations, label, { name: 'sets.example.org' });
    await hooks.register(ValidatingWebhookConfigurations, label, { name: 'sees.example.org' });
    const refusal = await rejectionOf(hooks.create({ labels: { hooked: label } }));
    await hooks.unregister(MutatingWebhookConfigurations, label);
    await hooks.unregister(ValidatingWebhookConfigurations, label);

    expect(refusal).toBe('400 Unknown admission webhook "sees.example.org" denied the request: {"by":"webhook"}');
  });
});
