import { patchedBy, reviewed, type WebhookBehavior } from '@fairway/apiserver/outbound/testing/webhook-server';
import type { ConfigMap, MutatingWebhook } from '@fairway/kube/kinds/generated/types';
import { MutatingWebhookConfigurations, ValidatingWebhookConfigurations } from '@fairway/kube/kinds/resources';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CONFIG_MAPS, denied, exactly, RegisteredWebhooks, refusalOf } from './registered-webhooks.ts';
import { describeServers } from './targets.ts';

const DENIED = 'admission webhook "v.example.org" denied the request';
const FAILED = '500 InternalError Internal error occurred: failed calling webhook "v.example.org": ';

describeServers('validating webhooks', (server, target) => {
  // Earlier releases have no match conditions, and other messages.
  const isCurrent = target.minor >= 30;
  let hooks: RegisteredWebhooks;

  beforeAll(async () => {
    hooks = await RegisteredWebhooks.open(server());
  });
  afterAll(() => hooks[Symbol.asyncDispose]());

  it
    .runIf(isCurrent)
    .each<{ reason: string; answer: WebhookBehavior; hook?: Partial<MutatingWebhook>; says: string | RegExp }>([
      { reason: 'allows', answer: reviewed, says: '' },
      {
        reason: 'refuses with a message',
        answer: denied({ status: { message: 'not today', code: 403, reason: 'Forbidden' } }),
        says: `403 Forbidden ${DENIED}: not today`,
      },
      {
        reason: 'refuses with a reason alone',
        answer: denied({ status: { reason: 'Conflict', code: 409 } }),
        says: `409 Conflict ${DENIED}: Conflict`,
      },
      { reason: 'refuses without a word', answer: denied({}), says: `400 Unknown ${DENIED} without explanation` },
      {
        reason: 'refuses with a code of success',
        answer: denied({ status: { code: 200, message: 'no' } }),
        says: `400 Unknown ${DENIED}: no`,
      },
      {
        reason: 'answers for another request',
        answer: (review) => reviewed(review, { uid: 'other' }),
        says: /^500 InternalError .*received invalid webhook response: expected response\.uid="[-0-9a-f]+", got "other"$/,
      },
      {
        reason: 'answers with another kind',
        answer: ({ request: { uid } }) => ({
          body: { kind: 'Other', apiVersion: 'v1', response: { uid, allowed: true } },
        }),
        says: /^500 InternalError Internal error occurred: failed calling webhook "v\.example\.org": /,
      },
      {
        reason: 'answers without a response',
        answer: () => ({ body: { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' } }),
        says: `${FAILED}received invalid webhook response: webhook response was absent`,
      },
      {
        reason: 'patches, although it validates',
        answer: (review) => reviewed(review, patchedBy({ op: 'remove', path: '/data' })),
        says: `${FAILED}received invalid webhook response: validating webhook may not return response.patch`,
      },
      {
        reason: 'is not there',
        answer: () => ({ status: 404, body: 'nothing here' }),
        says: `${FAILED}failed to call webhook: the server could not find the requested resource`,
      },
      {
        reason: 'breaks',
        answer: () => ({ status: 500, body: 'oh no' }),
        says: `${FAILED}failed to call webhook: an error on the server ("oh no") has prevented the request from succeeding`,
      },
      {
        reason: 'breaks, which is ignored',
        answer: () => ({ status: 500, body: 'oh no' }),
        hook: { failurePolicy: 'Ignore' },
        says: '',
      },
      {
        reason: 'says nothing in time',
        answer: () => undefined,
        hook: { timeoutSeconds: 1 },
        says: /^500 InternalError .*failed to call webhook: Post "https:.*\/v\.example\.org\?timeout=1s": context deadline exceeded/,
      },
      {
        reason: 'says nothing in time, which is ignored',
        answer: () => undefined,
        hook: { timeoutSeconds: 1, failurePolicy: 'Ignore' },
        says: '',
      },
      {
        reason: 'has a certificate of somebody else',
        answer: reviewed,
        hook: { clientConfig: { url: 'to be set' } },
        says: /^500 InternalError .*failed to call webhook: Post "https:.*": tls: failed to verify certificate: x509: certificate signed by unknown authority/,
      },
      {
        reason: 'refuses what a condition excludes',
        answer: denied({}),
        hook: { matchConditions: [{ name: 'never', expression: "object.metadata.name != 'some'" }] },
        says: '',
      },
      {
        reason: 'refuses what somebody may do who asks',
        answer: denied({}),
        hook: {
          matchConditions: [
            { name: 'breaks-glass', expression: "!authorizer.requestResource.check('breakglass').allowed()" },
          ],
        },
        says: '',
      },
      {
        reason: 'has a condition that fails',
        answer: reviewed,
        hook: { matchConditions: [{ name: 'bad', expression: "object.data.missing == 'x'" }] },
        says: /^403 Forbidden configmaps "some" is forbidden: expression 'object\.data\.missing == 'x'' resulted in error: /,
      },
      {
        reason: 'has a condition that fails, which is ignored',
        answer: denied({}),
        hook: {
          failurePolicy: 'Ignore',
          matchConditions: [{ name: 'bad', expression: "object.data.missing == 'x'" }],
        },
        says: '',
      },
      {
        reason: 'is of another namespace',
        answer: denied({}),
        hook: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'other' } } },
        says: '',
      },
      {
        reason: 'is for what has no namespace',
        answer: denied({}),
        hook: { rules: [{ ...CONFIG_MAPS, scope: 'Cluster' }] },
        says: '',
      },
      {
        reason: 'is for subresources alone',
        answer: denied({}),
        hook: { rules: [{ ...CONFIG_MAPS, resources: ['*/status'] }] },
        says: '',
      },
      {
        reason: 'is for everything',
        answer: denied({}),
        hook: { rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }] },
        says: `400 Unknown ${DENIED} without explanation`,
      },
    ])('a validating webhook that $reason', async ({ answer, hook, says }) => {
    const label = server().name('v');
    hooks.webhooks.answer('/v.example.org', answer);
    const own = hook?.clientConfig ? { ...hook, clientConfig: { url: hooks.webhooks.url('/v.example.org') } } : hook;
    await hooks.register(ValidatingWebhookConfigurations, label, { name: 'v.example.org', ...own });
    const refusal = await refusalOf(hooks.create({ labels: { hooked: label } }));
    await hooks.unregister(ValidatingWebhookConfigurations, label);

    expect(refusal).toMatch(exactly(says));
  });
  it.runIf(isCurrent)('runs validating webhooks on the result of mutating ones', async () => {
    const label = server().name('order');
    hooks.webhooks.answer('/sets.example.org', (review) =>
      reviewed(review, patchedBy({ op: 'add', path: '/data', value: { by: 'webhook' } })),
    );
    hooks.webhooks.answer('/sees.example.org', (review) => {
      const { data } = review.request['object'] as ConfigMap;
      return reviewed(review, { allowed: false, status: { message: JSON.stringify(data) } });
    });
    await hooks.register(MutatingWebhookConfigurations, label, { name: 'sets.example.org' });
    await hooks.register(ValidatingWebhookConfigurations, label, { name: 'sees.example.org' });
    const refusal = await refusalOf(hooks.create({ labels: { hooked: label } }));
    await hooks.unregister(MutatingWebhookConfigurations, label);
    await hooks.unregister(ValidatingWebhookConfigurations, label);

    expect(refusal).toBe('400 Unknown admission webhook "sees.example.org" denied the request: {"by":"webhook"}');
  });
});
