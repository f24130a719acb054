import { reviewResponse } from '@fairway/apiserver/outbound/testing/webhook-server';
import { ConfigMaps, Deployments, ValidatingWebhookConfigurations } from '@fairway/kube/kinds/resources';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CONFIG_MAPS, denied, type Hook, RegisteredWebhooks, rejectionOf } from './registered-webhooks.ts';
import { describeServers } from './targets.ts';

describeServers('webhook configurations', (server, target) => {
  // Earlier releases have no match conditions, and different messages.
  const isCurrent = target.minor >= 30;
  let hooks: RegisteredWebhooks;
  let namespace: string;

  beforeAll(async () => {
    hooks = await RegisteredWebhooks.open(server());
    namespace = hooks.namespace;
  });
  afterAll(() => hooks[Symbol.asyncDispose]());

  it.runIf(isCurrent)('cause the same requests as those in kube-apiserver', async () => {
    const label = server().name('asks');
    const name = server().name('asked');
    hooks.webhooks.reply('/asks.example.org', reviewResponse);
    await hooks.register(ValidatingWebhookConfigurations, label, { name: 'asks.example.org' });
    const configMaps = server().client.resource(ConfigMaps);
    await hooks.create({ name, labels: { hooked: label } }, { dryRun: false });
    await configMaps.patch(name, { type: 'merge', value: { data: { a: 'b' } } }, { namespace });
    await configMaps.delete(name, { namespace });
    await hooks.unregister(ValidatingWebhookConfigurations, label);

    const kind = { group: '', version: 'v1', kind: 'ConfigMap' };
    const resource = { group: '', version: 'v1', resource: 'configmaps' };
    const resourceFields = {
      kind,
      resource,
      requestKind: kind,
      requestResource: resource,
      name,
      namespace,
      dryRun: false,
    };
    const userInfo = { username: 'admin', groups: ['system:masters', 'system:authenticated'] };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, labels: { hooked: label } } };
    const received = hooks.webhooks.reviewsByPath.get('/asks.example.org') ?? [];
    expect(received).toHaveLength(3);
    const [created, updated, deleted] = received;
    expect(created).toMatchObject({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        ...resourceFields,
        operation: 'CREATE',
        userInfo,
        object,
        oldObject: null,
        options: { kind: 'CreateOptions' },
      },
    });
    expect(updated).toMatchObject({
      request: {
        ...resourceFields,
        operation: 'UPDATE',
        object: { ...object, data: { a: 'b' } },
        oldObject: object,
        options: { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1' },
      },
    });
    expect(deleted).toMatchObject({
      request: {
        ...resourceFields,
        operation: 'DELETE',
        object: null,
        oldObject: { ...object, data: { a: 'b' } },
        options: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' },
      },
    });
    expect(new Set(received.map(({ request }) => request.uid)).size).toBe(3);
  });

  it.runIf(isCurrent)('cause a request with the Scale when a Deployment is scaled', async () => {
    const label = server().name('scale');
    hooks.webhooks.reply('/scale.example.org', reviewResponse);
    const rules = [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['*'], resources: ['deployments/scale'] }];
    await hooks.register(ValidatingWebhookConfigurations, label, {
      name: 'scale.example.org',
      rules,
      objectSelector: {},
    });
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
    await hooks.unregister(ValidatingWebhookConfigurations, label);

    expect(hooks.webhooks.reviewsByPath.get('/scale.example.org')?.[0]).toMatchObject({
      request: {
        kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
        resource: { group: 'apps', version: 'v1', resource: 'deployments' },
        subResource: 'scale',
        object: { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 1 } },
        oldObject: { kind: 'Scale' },
      },
    });
  });

  it.runIf(isCurrent)('return webhooks’ warnings', async () => {
    const label = server().name('warns');
    hooks.webhooks.reply('/warns.example.org', (review) =>
      reviewResponse(review, { warnings: ['take care', 'truly'] }),
    );
    await hooks.register(ValidatingWebhookConfigurations, label, { name: 'warns.example.org' });
    const body = { metadata: { name: 'some', labels: { hooked: label } } };
    const response = await server().raw('POST', `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`, { body });
    await hooks.unregister(ValidatingWebhookConfigurations, label);

    expect(response.headers['warning']).toBe('299 - "take care", 299 - "truly"');
  });
  it.runIf(isCurrent)('cause no requests about themselves', async () => {
    const label = server().name('self');
    const all = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }];
    hooks.webhooks.reply('/self.example.org', denied({}));
    const objectSelector = { matchLabels: { hooked: label } };
    await hooks.register(ValidatingWebhookConfigurations, label, {
      name: 'self.example.org',
      rules: all,
      objectSelector,
    });
    const refusal = await rejectionOf(
      server()
        .client.resource(ValidatingWebhookConfigurations)
        .create({ metadata: { name: `${label}-other`, labels: { hooked: label } } }, { dryRun: true }),
    );
    await hooks.unregister(ValidatingWebhookConfigurations, label);

    expect(refusal).toBe('');
  });

  it.runIf(isCurrent).each<{ reason: string; hook: Hook; expectedMessage: string }>([
    {
      reason: 'a short name',
      hook: { name: 'short' },
      expectedMessage:
        'webhooks[0].name: Invalid value: "short": should be a domain with at least three segments separated by dots',
    },
    {
      reason: 'neither URL nor Service',
      hook: { name: 'a.example.org', clientConfig: {} },
      expectedMessage: 'webhooks[0].clientConfig: Required value: exactly one of url or service is required',
    },
    {
      reason: 'a URL without TLS',
      hook: { name: 'a.example.org', clientConfig: { url: 'http://example.org/x' } },
      expectedMessage: `webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
    },
    {
      reason: 'a timeout that is too long',
      hook: { name: 'a.example.org', timeoutSeconds: 31 },
      expectedMessage:
        'webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds',
    },
    {
      reason: 'side effects',
      hook: { name: 'a.example.org', sideEffects: 'Some' },
      expectedMessage: 'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
    },
    {
      reason: 'an operation that does not exist',
      hook: { name: 'a.example.org', rules: [{ ...CONFIG_MAPS, operations: ['GET'] }] },
      expectedMessage:
        'webhooks[0].rules[0].operations[0]: Unsupported value: "GET": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
    },
    {
      reason: 'no supported version',
      hook: { name: 'a.example.org', admissionReviewVersions: ['v7'] },
      // Before 1.34, in Go's format.
      expectedMessage: `webhooks[0].admissionReviewVersions: Invalid value: ${target.minor >= 34 ? '["v7"]' : '[]string{"v7"}'}: must include at least one of v1`,
    },
    {
      reason: 'a condition that cannot be compiled',
      hook: { name: 'a.example.org', matchConditions: [{ name: 'bad', expression: 'object.' }] },
      expectedMessage:
        'webhooks[0].matchConditions[0].expression: Invalid value: "object.": compilation failed: ERROR: ',
    },
  ])('are refused for a webhook with $reason', async ({ hook, expectedMessage }) => {
    const whole = {
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      clientConfig: { url: 'https://example.org/x' },
      ...hook,
    };
    const name = server().name('refused');
    const refusal = await rejectionOf(
      server()
        .client.resource(ValidatingWebhookConfigurations)
        .create({ metadata: { name }, webhooks: [whole] }),
    );

    expect(refusal.slice(0, 4)).toBe('422 ');
    expect(refusal).toContain(expectedMessage);
  });

  it.runIf(isCurrent)('report problems with a Service', async () => {
    const label = server().name('service');
    const clientConfig = { service: { name: 'none', namespace, path: '/x' }, caBundle: hooks.webhooks.caBundle };
    await hooks.register(ValidatingWebhookConfigurations, label, { name: 'service.example.org', clientConfig });
    const refusal = await rejectionOf(hooks.create({ labels: { hooked: label } }));
    await hooks.unregister(ValidatingWebhookConfigurations, label);

    expect(refusal).toBe(
      `500 InternalError Internal error occurred: failed calling webhook "service.example.org": failed to call webhook: Post "https://none.${namespace}.svc:443/x?timeout=10s": service "none" not found`,
    );
  });
});
