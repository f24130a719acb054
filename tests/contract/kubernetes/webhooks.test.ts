import {
  patchedBy,
  reviewed,
  type WebhookBehavior,
  WebhookServer,
} from '@fairway/apiserver/outbound/testing/webhook-server';
import type {
  ConfigMap,
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
} from '@fairway/kube/kinds/generated/types';
import {
  ConfigMaps,
  Deployments,
  MutatingWebhookConfigurations,
  ValidatingWebhookConfigurations,
} from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeServers } from './targets.ts';

const CONFIG_MAPS = {
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  resources: ['configmaps'],
};
const WAIT = { timeout: 60_000, interval: 100 };

function exactly(says: string | RegExp): RegExp {
  if (says instanceof RegExp) return says;
  return new RegExp(`^${says.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}$`);
}

type Type = typeof MutatingWebhookConfigurations | typeof ValidatingWebhookConfigurations;

describeServers('admission webhooks', (server, target) => {
  // Earlier releases have no match conditions, and other words.
  const isCurrent = target.minor >= 30;
  let webhooks: WebhookServer;
  let namespace: string;

  beforeAll(async () => {
    webhooks = await WebhookServer.open();
    namespace = await server().namespace();
  });
  afterAll(() => webhooks[Symbol.asyncDispose]());

  type Hook = Partial<MutatingWebhook> & { readonly name: string };

  /** Registers webhooks for objects with this label, and waits until they count. */
  async function register(type: Type, label: string, ...hooks: readonly Hook[]): Promise<void> {
    const whole = (hook: Hook): MutatingWebhook & ValidatingWebhook => ({
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      rules: [CONFIG_MAPS],
      objectSelector: { matchLabels: { hooked: label } },
      clientConfig: { url: webhooks.url(`/${hook.name}`), caBundle: webhooks.caBundle },
      ...hook,
    });
    const canary = `canary.${label}.example.org`;
    webhooks.answer(`/${canary}`, reviewed);
    const configuration = {
      metadata: { name: label },
      webhooks: [...hooks, { name: canary, objectSelector: { matchLabels: { canary: label } } }].map(whole),
    };
    await server().client.resource<MutatingWebhookConfiguration>(type).create(configuration);
    await expect
      .poll(async () => {
        await create({ labels: { canary: label } });
        return webhooks.asked.has(`/${canary}`);
      }, WAIT)
      .toBe(true);
  }

  async function unregister(type: Type, label: string): Promise<void> {
    await server().client.resource(type).delete(label);
  }

  function create(
    metadata: { readonly labels: Record<string, string>; readonly name?: string },
    { dryRun = true, ...rest }: Partial<ConfigMap> & { readonly dryRun?: boolean } = {},
  ): Promise<ConfigMap> {
    const object = { metadata: { name: 'some', namespace, ...metadata }, ...rest };
    return server().client.resource(ConfigMaps).create(object, { dryRun });
  }

  /** What the server says against a write. */
  async function refusalOf(write: Promise<unknown>): Promise<string> {
    try {
      await write;
      return '';
    } catch (error) {
      if (!isApiError(error)) throw error;
      return `${error.code} ${error.reason} ${error.message}`;
    }
  }

  const denied =
    (response: object): WebhookBehavior =>
    (review) =>
      reviewed(review, { allowed: false, ...response });
  const DENIED = 'admission webhook "v.example.org" denied the request';
  const FAILED = '500 InternalError Internal error occurred: failed calling webhook "v.example.org": ';

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
    webhooks.answer('/v.example.org', answer);
    const own = hook?.clientConfig ? { ...hook, clientConfig: { url: webhooks.url('/v.example.org') } } : hook;
    await register(ValidatingWebhookConfigurations, label, { name: 'v.example.org', ...own });
    const refusal = await refusalOf(create({ labels: { hooked: label } }));
    await unregister(ValidatingWebhookConfigurations, label);

    expect(refusal).toMatch(exactly(says));
  });

  it.runIf(isCurrent)('asks as kube-apiserver does', async () => {
    const label = server().name('asks');
    const name = server().name('asked');
    webhooks.answer('/asks.example.org', reviewed);
    await register(ValidatingWebhookConfigurations, label, { name: 'asks.example.org' });
    const configMaps = server().client.resource(ConfigMaps);
    await create({ name, labels: { hooked: label } }, { dryRun: false });
    await configMaps.patch(name, { type: 'merge', value: { data: { a: 'b' } } }, { namespace });
    await configMaps.delete(name, { namespace });
    await unregister(ValidatingWebhookConfigurations, label);

    const kind = { group: '', version: 'v1', kind: 'ConfigMap' };
    const resource = { group: '', version: 'v1', resource: 'configmaps' };
    const about = { kind, resource, requestKind: kind, requestResource: resource, name, namespace, dryRun: false };
    const userInfo = { username: 'admin', groups: ['system:masters', 'system:authenticated'] };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, labels: { hooked: label } } };
    const asked = webhooks.asked.get('/asks.example.org') ?? [];
    expect(asked).toHaveLength(3);
    const [created, updated, deleted] = asked;
    expect(created).toMatchObject({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: { ...about, operation: 'CREATE', userInfo, object, oldObject: null, options: { kind: 'CreateOptions' } },
    });
    expect(updated).toMatchObject({
      request: {
        ...about,
        operation: 'UPDATE',
        object: { ...object, data: { a: 'b' } },
        oldObject: object,
        options: { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1' },
      },
    });
    expect(deleted).toMatchObject({
      request: {
        ...about,
        operation: 'DELETE',
        object: null,
        oldObject: { ...object, data: { a: 'b' } },
        options: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' },
      },
    });
    expect(new Set(asked.map(({ request }) => request.uid)).size).toBe(3);
  });

  it.runIf(isCurrent)('asks of a Deployment’s scale what the Scale is', async () => {
    const label = server().name('scale');
    webhooks.answer('/scale.example.org', reviewed);
    const rules = [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['*'], resources: ['deployments/scale'] }];
    await register(ValidatingWebhookConfigurations, label, { name: 'scale.example.org', rules, objectSelector: {} });
    const name = server().name('scaled');
    const labels = { app: name };
    await server()
      .client.resource(Deployments)
      .create({
        metadata: { name, namespace },
        spec: {
          replicas: 0,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nginx' }] } },
        },
      });
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}/scale`;
    const headers = { 'content-type': 'application/merge-patch+json' };
    await server().raw('PATCH', path, { headers, body: { spec: { replicas: 1 } } });
    await unregister(ValidatingWebhookConfigurations, label);

    expect(webhooks.asked.get('/scale.example.org')?.[0]).toMatchObject({
      request: {
        kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
        resource: { group: 'apps', version: 'v1', resource: 'deployments' },
        subResource: 'scale',
        object: { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 1 } },
        oldObject: { kind: 'Scale' },
      },
    });
  });

  it.runIf(isCurrent)('warns in the words of webhooks', async () => {
    const label = server().name('warns');
    webhooks.answer('/warns.example.org', (review) => reviewed(review, { warnings: ['take care', 'truly'] }));
    await register(ValidatingWebhookConfigurations, label, { name: 'warns.example.org' });
    const body = { metadata: { name: 'some', labels: { hooked: label } } };
    const answer = await server().raw('POST', `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`, { body });
    await unregister(ValidatingWebhookConfigurations, label);

    expect(answer.headers['warning']).toBe('299 - "take care", 299 - "truly"');
  });

  it.runIf(isCurrent).each<{ reason: string; operations: object[]; says?: string | RegExp; data?: object }>([
    {
      reason: 'adds a key',
      operations: [{ op: 'add', path: '/data/by', value: 'webhook' }],
      data: { a: 'b', by: 'webhook' },
    },
    { reason: 'has nothing to say', operations: [], data: { a: 'b' } },
    {
      reason: 'does not fit',
      operations: [{ op: 'remove', path: '/data/none' }],
      says: /^500 InternalError Internal error occurred: /,
    },
    {
      reason: 'leaves an object that is none',
      operations: [{ op: 'replace', path: '/metadata/labels', value: { 'not valid!': 'x' } }],
      says: /^422 Invalid ConfigMap "some" is invalid: metadata\.labels: Invalid value: "not valid!": /,
    },
  ])('a patch that $reason', async ({ operations, says = '', data }) => {
    const label = server().name('m');
    webhooks.answer('/m.example.org', (review) => reviewed(review, patchedBy(...operations)));
    await register(MutatingWebhookConfigurations, label, { name: 'm.example.org' });
    const write = create({ labels: { hooked: label } }, { data: { a: 'b' } });
    const refusal = await refusalOf(write);
    await unregister(MutatingWebhookConfigurations, label);

    expect(refusal).toMatch(exactly(says));
    expect(data && (await write).data).toEqual(data);
  });

  it.runIf(isCurrent)('gives nobody what a webhook sets', async () => {
    const label = server().name('owner');
    webhooks.answer('/owner.example.org', (review) =>
      reviewed(review, patchedBy({ op: 'add', path: '/data/by', value: 'webhook' })),
    );
    await register(MutatingWebhookConfigurations, label, { name: 'owner.example.org' });
    const { metadata, data } = await create({ labels: { hooked: label } }, { data: { a: 'b' } });
    await unregister(MutatingWebhookConfigurations, label);

    expect(data).toEqual({ a: 'b', by: 'webhook' });
    expect(metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1?.['f:data'])).toEqual([{ '.': {}, 'f:a': {} }]);
  });

  it.runIf(isCurrent)('calls a webhook again after a later one has changed something, if it wants that', async () => {
    const label = server().name('again');
    const count: WebhookBehavior = (review) => {
      const { data } = review.request['object'] as ConfigMap;
      return reviewed(
        review,
        patchedBy({ op: 'add', path: '/data/seen', value: `${data?.['seen'] ?? ''}${Object.keys(data ?? {}).length}` }),
      );
    };
    const later: WebhookBehavior = (review) => reviewed(review, patchedBy({ op: 'add', path: '/data/x', value: 'y' }));
    webhooks.answer('/first.example.org', count);
    webhooks.answer('/second.example.org', count);
    webhooks.answer('/third.example.org', later);
    await register(
      MutatingWebhookConfigurations,
      label,
      { name: 'first.example.org', reinvocationPolicy: 'IfNeeded' },
      { name: 'second.example.org' },
      { name: 'third.example.org' },
    );
    const { data } = await create({ labels: { hooked: label } }, { data: { a: 'b' } });
    await unregister(MutatingWebhookConfigurations, label);

    expect(data).toEqual({ a: 'b', seen: '123', x: 'y' });
  });

  it.runIf(isCurrent)('sees the work of mutating webhooks in validating ones', async () => {
    const label = server().name('order');
    webhooks.answer('/sets.example.org', (review) =>
      reviewed(review, patchedBy({ op: 'add', path: '/data', value: { by: 'webhook' } })),
    );
    webhooks.answer('/sees.example.org', (review) => {
      const { data } = review.request['object'] as ConfigMap;
      return reviewed(review, { allowed: false, status: { message: JSON.stringify(data) } });
    });
    await register(MutatingWebhookConfigurations, label, { name: 'sets.example.org' });
    await register(ValidatingWebhookConfigurations, label, { name: 'sees.example.org' });
    const refusal = await refusalOf(create({ labels: { hooked: label } }));
    await unregister(MutatingWebhookConfigurations, label);
    await unregister(ValidatingWebhookConfigurations, label);

    expect(refusal).toBe('400 Unknown admission webhook "sees.example.org" denied the request: {"by":"webhook"}');
  });

  it.runIf(isCurrent)('never asks about the configurations themselves', async () => {
    const label = server().name('self');
    const all = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }];
    webhooks.answer('/self.example.org', denied({}));
    const objectSelector = { matchLabels: { hooked: label } };
    await register(ValidatingWebhookConfigurations, label, { name: 'self.example.org', rules: all, objectSelector });
    const refusal = await refusalOf(
      server()
        .client.resource(ValidatingWebhookConfigurations)
        .create({ metadata: { name: `${label}-other`, labels: { hooked: label } } }, { dryRun: true }),
    );
    await unregister(ValidatingWebhookConfigurations, label);

    expect(refusal).toBe('');
  });

  it.runIf(isCurrent).each<{ reason: string; hook: Hook; says: string }>([
    {
      reason: 'a short name',
      hook: { name: 'short' },
      says: 'webhooks[0].name: Invalid value: "short": should be a domain with at least three segments separated by dots',
    },
    {
      reason: 'neither URL nor Service',
      hook: { name: 'a.example.org', clientConfig: {} },
      says: 'webhooks[0].clientConfig: Required value: exactly one of url or service is required',
    },
    {
      reason: 'a URL without TLS',
      hook: { name: 'a.example.org', clientConfig: { url: 'http://example.org/x' } },
      says: `webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
    },
    {
      reason: 'no patience',
      hook: { name: 'a.example.org', timeoutSeconds: 31 },
      says: 'webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds',
    },
    {
      reason: 'side effects',
      hook: { name: 'a.example.org', sideEffects: 'Some' },
      says: 'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
    },
    {
      reason: 'an operation that there is not',
      hook: { name: 'a.example.org', rules: [{ ...CONFIG_MAPS, operations: ['GET'] }] },
      says: 'webhooks[0].rules[0].operations[0]: Unsupported value: "GET": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
    },
    {
      reason: 'no version',
      hook: { name: 'a.example.org', admissionReviewVersions: ['v7'] },
      says: 'webhooks[0].admissionReviewVersions: Invalid value: ["v7"]: must include at least one of v1',
    },
    {
      reason: 'a condition that cannot be compiled',
      hook: { name: 'a.example.org', matchConditions: [{ name: 'bad', expression: 'object.' }] },
      says: 'webhooks[0].matchConditions[0].expression: Invalid value: "object.": compilation failed: ERROR: ',
    },
  ])('refuses a webhook with $reason', async ({ hook, says }) => {
    const whole = {
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      clientConfig: { url: 'https://example.org/x' },
      ...hook,
    };
    const name = server().name('refused');
    const refusal = await refusalOf(
      server()
        .client.resource(ValidatingWebhookConfigurations)
        .create({ metadata: { name }, webhooks: [whole] }),
    );

    expect(refusal.slice(0, 4)).toBe('422 ');
    expect(refusal).toContain(says);
  });

  it.runIf(isCurrent)('says what is the matter with a Service', async () => {
    const label = server().name('service');
    const clientConfig = { service: { name: 'none', namespace, path: '/x' }, caBundle: webhooks.caBundle };
    await register(ValidatingWebhookConfigurations, label, { name: 'service.example.org', clientConfig });
    const refusal = await refusalOf(create({ labels: { hooked: label } }));
    await unregister(ValidatingWebhookConfigurations, label);

    expect(refusal).toBe(
      `500 InternalError Internal error occurred: failed calling webhook "service.example.org": failed to call webhook: Post "https://none.${namespace}.svc:443/x?timeout=10s": service "none" not found`,
    );
  });
});
