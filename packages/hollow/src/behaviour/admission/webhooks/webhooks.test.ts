import { type CustomResourceDefinition, CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import type { OutboundPolicy } from '@fairway/apiserver/outbound/outbound-policy';
import {
  patchResponse,
  reviewResponse,
  type WebhookBehavior,
  WebhookServer,
} from '@fairway/apiserver/outbound/testing/webhook-server';
import type { HorizontalPodAutoscaler, MutatingWebhook, RuleWithOperations } from '@fairway/kube/kinds/generated/types';
import {
  ConfigMaps,
  EndpointSlices,
  HorizontalPodAutoscalers,
  MutatingWebhookConfigurations,
  Pods,
  Services,
  ValidatingWebhookConfigurations,
} from '@fairway/kube/kinds/resources';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { TestCluster } from '../../../testing/test-cluster.ts';
import { pod } from '../../../testing/workloads.ts';

let webhooks: WebhookServer;
beforeAll(async () => {
  webhooks = await WebhookServer.open();
});
afterEach(() => webhooks.reviewsByPath.clear());
afterAll(() => webhooks[Symbol.asyncDispose]());

const rule = (apiGroup: string, ...resources: string[]): RuleWithOperations => ({
  apiGroups: [apiGroup],
  apiVersions: ['*'],
  operations: ['*'],
  resources,
});

async function clusterWith(
  type: typeof MutatingWebhookConfigurations | typeof ValidatingWebhookConfigurations,
  rules: RuleWithOperations[],
  hook: Partial<MutatingWebhook> = {},
  outbound?: OutboundPolicy,
): Promise<TestCluster> {
  const cluster = await TestCluster.start({ nodes: [], ...(outbound && { outbound }) });
  const whole = {
    name: 'hook.example.org',
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    clientConfig: { url: webhooks.url('/hook'), caBundle: webhooks.caBundle },
    rules,
    ...hook,
  };
  await cluster.client.resource(type).create({ metadata: { name: 'hook' }, webhooks: [whole] });
  return cluster;
}

const configMap = (name = 'some') => ({ metadata: { name, namespace: 'default' } });
const rejectingWebhook: WebhookBehavior = (review) =>
  reviewResponse(review, { allowed: false, status: { message: 'no' } });

test('connects to a Service at the address in its EndpointSlice, under the Service’s name', async () => {
  webhooks.reply('/hook', rejectingWebhook);
  const clientConfig = { service: { namespace: 'default', name: 'hooks', path: '/hook' }, caBundle: webhooks.caBundle };
  const rules = [rule('', 'configmaps')];
  await using cluster = await clusterWith(ValidatingWebhookConfigurations, rules, { clientConfig });
  const configMaps = cluster.client.resource(ConfigMaps);

  await expect(configMaps.create(configMap())).rejects.toThrow('service "hooks" not found');
  await cluster.client.resource(Services).create({
    metadata: { name: 'hooks', namespace: 'default' },
    spec: { clusterIP: 'None', ports: [{ port: 443 }] },
  });
  await expect(configMaps.create(configMap())).rejects.toThrow('no endpoints available for service "hooks"');
  await cluster.client.resource(EndpointSlices).create({
    metadata: { name: 'hooks', namespace: 'default', labels: { 'kubernetes.io/service-name': 'hooks' } },
    addressType: 'IPv4',
    ports: [{ name: '', port: webhooks.port }],
    endpoints: [{ addresses: ['127.0.0.1'] }],
  });
  await expect(configMaps.create(configMap())).rejects.toMatchObject({
    code: 400,
    message: 'admission webhook "hook.example.org" denied the request: no',
  });
});

test('never calls a webhook at an address that the operator forbids, and returns the reason', async () => {
  webhooks.reply('/hook', reviewResponse);
  const outbound: OutboundPolicy = (kind, address) => `${kind} ${address} is not for you`;
  await using cluster = await clusterWith(ValidatingWebhookConfigurations, [rule('', 'configmaps')], {}, outbound);

  await expect(cluster.client.resource(ConfigMaps).create(configMap())).rejects.toThrow(
    `dial tcp: controlplane 127.0.0.1 is not for you`,
  );
  expect(webhooks.reviewsByPath.size).toBe(0);
});

const autoscaler: HorizontalPodAutoscaler = {
  metadata: { name: 'some', namespace: 'default' },
  spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
};

test.each([
  { matchPolicy: 'Equivalent', asked: 'v1', maxReplicas: 5 },
  { matchPolicy: 'Exact', asked: undefined, maxReplicas: 3 },
])(
  'rules for another version with matchPolicy $matchPolicy receive $asked',
  async ({ matchPolicy, asked, maxReplicas }) => {
    const patch = patchResponse({ op: 'replace', path: '/spec/maxReplicas', value: 5 });
    webhooks.reply('/hook', (review) => reviewResponse(review, patch));
    const rules = [{ ...rule('autoscaling', 'horizontalpodautoscalers'), apiVersions: ['v1'] }];
    await using cluster = await clusterWith(MutatingWebhookConfigurations, rules, { matchPolicy });
    const { spec } = await cluster.client.resource(HorizontalPodAutoscalers).create(autoscaler);

    expect(spec?.maxReplicas).toBe(maxReplicas);
    const [review] = webhooks.reviewsByPath.get('/hook') ?? [];
    expect((review?.request['kind'] as { version: string } | undefined)?.version).toBe(asked);
    expect((review?.request['object'] as KubeObject | undefined)?.apiVersion).toBe(asked && `autoscaling/${asked}`);
  },
);

test('built-in plugins see and keep the changes made by webhooks', async () => {
  const sidecar = { name: 'sidecar', image: 'proxy:1' };
  webhooks.reply('/hook', (review) =>
    reviewResponse(review, patchResponse({ op: 'add', path: '/spec/containers/-', value: sidecar })),
  );
  const rules = [{ ...rule('', 'pods'), operations: ['CREATE'] }];
  await using cluster = await clusterWith(MutatingWebhookConfigurations, rules);
  const { spec } = await cluster.client.resource(Pods).create(pod('one'));

  expect(spec.containers.map(({ name, volumeMounts }) => [name, volumeMounts?.length])).toEqual([
    ['main', 1],
    ['sidecar', 1],
  ]);
  expect(spec.containers[1]).toMatchObject({ terminationMessagePath: '/dev/termination-log' });
});

test('allocates the addresses of a Service once, after webhooks have run', async () => {
  webhooks.reply('/hook', (review) =>
    reviewResponse(review, patchResponse({ op: 'replace', path: '/spec/type', value: 'NodePort' })),
  );
  const rules = [{ ...rule('', 'services'), operations: ['CREATE'] }];
  await using cluster = await clusterWith(MutatingWebhookConfigurations, rules, { reinvocationPolicy: 'IfNeeded' });
  const { spec } = await cluster.client
    .resource(Services)
    .create({ metadata: { name: 'web', namespace: 'default' }, spec: { ports: [{ port: 80 }] } });

  expect(spec).toMatchObject({ type: 'NodePort', clusterIP: expect.stringMatching(/^10\.3\./) });
  expect(spec.ports?.[0]?.nodePort).toBeGreaterThanOrEqual(30_000);
});

const Things: ResourceType<KubeObject & { spec?: Record<string, unknown> }> = {
  group: 'example.org',
  version: 'v1',
  plural: 'things',
  kind: 'Thing',
  namespaced: true,
};
const definition: CustomResourceDefinition = {
  metadata: { name: 'things.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer', maximum: 5 },
                  part: { type: 'object', properties: { kind: { type: 'string', default: 'plain' } } },
                },
              },
            },
          },
        },
      },
    ],
  },
};

test.each([
  {
    reason: 'is pruned and has its defaults',
    operations: [
      { op: 'add', path: '/spec/unknown', value: 1 },
      { op: 'add', path: '/spec/part', value: {} },
    ],
    spec: { size: 1, part: { kind: 'plain' } },
  },
  {
    reason: 'is validated against its schema',
    operations: [{ op: 'replace', path: '/spec/size', value: 7 }],
    says: 'spec.size: Invalid value: 7: spec.size in body should be less than or equal to 5',
  },
  {
    reason: 'keeps its name',
    operations: [{ op: 'replace', path: '/metadata/namespace', value: 'other' }],
    says: 'the namespace of the provided object does not match the namespace sent on the request',
  },
])('a custom resource changed by a webhook $reason', async ({ operations, spec, says }) => {
  webhooks.reply('/hook', (review) => reviewResponse(review, patchResponse(...operations)));
  await using cluster = await clusterWith(MutatingWebhookConfigurations, [rule('example.org', 'things')]);
  await cluster.client.resource(CustomResourceDefinitions).create(definition);
  const things = cluster.client.resource(Things);
  await expect.poll(async () => (await things.list({ namespace: 'default' })).items).toEqual([]);
  const write = things.create({ metadata: { name: 'some', namespace: 'default' }, spec: { size: 1 } });

  const outcome = await write.catch((error: Error) => error.message);
  const outcomeText = typeof outcome === 'string' ? outcome : JSON.stringify(outcome.spec);
  expect(outcomeText).toContain(says ?? JSON.stringify(spec));
});

test('calls webhooks for connections to a pod, with their options', async () => {
  webhooks.reply('/hook', rejectingWebhook);
  await using cluster = await clusterWith(ValidatingWebhookConfigurations, [rule('', 'pods/exec')]);
  await cluster.client.resource(Pods).create(pod('one'));
  const path = '/api/v1/namespaces/default/pods/one/exec?container=main&command=ls&command=-l&stdout=true';
  await expect(cluster.client.raw({ method: 'POST', path })).rejects.toThrow('denied the request: no');

  expect(webhooks.reviewsByPath.get('/hook')?.[0]?.request).toMatchObject({
    operation: 'CONNECT',
    kind: { group: '', version: 'v1', kind: 'PodExecOptions' },
    subResource: 'exec',
    object: { kind: 'PodExecOptions', container: 'main', command: ['ls', '-l'], stdout: true },
    oldObject: null,
    options: null,
  });
});

test('deletes custom resources along with their definition, whatever webhooks return', async () => {
  webhooks.reply('/hook', (review) =>
    review.request['operation'] === 'DELETE' ? rejectingWebhook(review) : reviewResponse(review),
  );
  await using cluster = await clusterWith(ValidatingWebhookConfigurations, [rule('example.org', 'things')]);
  const definitions = cluster.client.resource(CustomResourceDefinitions);
  await definitions.create(definition);
  const things = cluster.client.resource(Things);
  await expect.poll(async () => (await things.list({ namespace: 'default' })).items).toEqual([]);
  await things.create({ metadata: { name: 'some', namespace: 'default' } });
  await expect(things.delete('some', { namespace: 'default' })).rejects.toThrow('denied the request: no');
  await definitions.delete('things.example.org');

  await expect.poll(async () => (await definitions.list()).items).toEqual([]);
});
