import { describe, expect, it } from 'vitest';
import { post, serverOfKinds } from './testing/kinds-server.ts';

const CONTAINER = { name: 'a', image: 'a' };
const TEMPLATE = { metadata: { labels: { app: 'a' } }, spec: { containers: [CONTAINER] } };
const SELECTOR = { matchLabels: { app: 'a' } };
const DEPLOYMENTS = '/apis/apps/v1/NS/deployments';
const POD = '/api/v1/NS/pods';

function messagesOf(body: { details?: Record<string, unknown>; message?: string }): string[] {
  const causes = (body.details?.['causes'] ?? []) as { field: string; message: string }[];
  return causes.map(({ field, message }) => `${field}: ${message}`);
}

// tests/contract/kubernetes compares these messages and many more with kube-apiserver's.
describe('creating an object', () => {
  it.each([
    ['no containers', POD, { containers: [] }, ['spec.containers: Required value']],
    [
      'an unknown volume',
      POD,
      { containers: [{ ...CONTAINER, volumeMounts: [{ name: 'v', mountPath: '/v' }] }] },
      ['spec.containers[0].volumeMounts[0].name: Not found: "v"'],
    ],
    [
      'a duplicate name',
      POD,
      { containers: [CONTAINER, CONTAINER] },
      ['spec.containers[1].name: Duplicate value: "a"'],
    ],
    [
      'invalid sysctl names',
      POD,
      {
        containers: [CONTAINER],
        securityContext: {
          sysctls: ['kernel/shm_rmid_forced', 'foo-', 'bar..', ''].map((name) => ({ name, value: '1' })),
        },
      },
      [
        expect.stringMatching(/^spec.securityContext.sysctls\[1\].name: Invalid value: "foo-": must have at most 253/),
        expect.stringMatching(/^spec.securityContext.sysctls\[2\].name: Invalid value: "bar.."/),
        'spec.securityContext.sysctls[3].name: Required value',
      ],
    ],
    [
      'two errors',
      POD,
      { containers: [{ name: 'a' }], restartPolicy: 'x' },
      [
        'spec.containers[0].image: Required value',
        'spec.restartPolicy: Unsupported value: "x": supported values: "Always", "OnFailure", "Never"',
      ],
    ],
    [
      'a selector that does not match the template',
      DEPLOYMENTS,
      { selector: { matchLabels: { app: 'b' } }, template: TEMPLATE },
      ['spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`'],
    ],
    [
      'no template',
      DEPLOYMENTS,
      { selector: SELECTOR },
      [
        'spec.template: Required value',
        'spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`',
        'spec.template.spec.containers: Required value',
      ],
    ],
  ])('is rejected with %s', async (_, path, spec, expected) => {
    const { status, body } = await post(await serverOfKinds(), path, { spec });

    expect(status).toBe(422);
    expect(messagesOf(body)).toEqual(expected);
  });

  it('is a bad request if a value has the wrong type', async () => {
    const spec = { selector: SELECTOR, template: TEMPLATE, replicas: 'three' };

    const { status, body } = await post(await serverOfKinds(), DEPLOYMENTS, { spec });

    expect(status).toBe(400);
    expect(body).toMatchObject({
      reason: 'BadRequest',
      message:
        'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field Deployment.spec.replicas of type integer',
    });
  });
});

it('accepts two ports with the same number, as upstream does', async () => {
  const ports = [
    { containerPort: 80, name: 'a' },
    { containerPort: 80, name: 'b' },
  ];
  const { status } = await post(await serverOfKinds(), POD, { spec: { containers: [{ ...CONTAINER, ports }] } });

  expect(status).toBe(201);
});

describe('updating an object', () => {
  it.each([
    [
      'the selector of a Deployment',
      DEPLOYMENTS,
      { spec: { selector: SELECTOR, template: TEMPLATE } },
      { spec: { selector: { matchLabels: { app: 'a', b: 'c' } }, template: { metadata: { labels: { b: 'c' } } } } },
      /^spec\.selector: .*field is immutable$/,
    ],
    [
      'the containers of a pod',
      POD,
      { spec: { containers: [CONTAINER] } },
      { spec: { containers: [] } },
      /^spec\.containers: Forbidden: pod updates may not add or remove containers$/,
    ],
    [
      'the type of a Secret',
      '/api/v1/NS/secrets',
      { type: 'a/b' },
      { type: 'c/d' },
      /^type: Invalid value: "c\/d": field is immutable$/,
    ],
    [
      'immutable data',
      '/api/v1/NS/configmaps',
      { immutable: true, data: { a: 'b' } },
      { data: { a: 'c' } },
      /^data: Forbidden: field is immutable when `immutable` is set$/,
    ],
    [
      'the size of a claim',
      '/api/v1/NS/persistentvolumeclaims',
      { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
      { spec: { resources: { requests: { storage: '2Gi' } } } },
      /^spec: Forbidden: spec is immutable after creation except/,
    ],
  ])('rejects a change of %s', async (_, path, object, patch, message) => {
    const server = await serverOfKinds();
    await post(server, path, object);
    const url = `${path.replace('/NS/', '/namespaces/default/')}/a`;
    const { status, body } = await server.call('PATCH', url, patch, { 'content-type': 'application/merge-patch+json' });

    expect(status).toBe(422);
    expect(messagesOf(body)[0]).toMatch(message);
  });
});

describe('two versions of a kind', () => {
  it('store an event of events.k8s.io as a core event', async () => {
    const server = await serverOfKinds();
    await post(server, '/apis/events.k8s.io/v1/NS/events', {
      regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reason: 'r',
      action: 'a',
      note: 'n',
      type: 'Normal',
      reportingController: 'c/d',
      reportingInstance: 'i',
    });
    const { body } = await server.call('GET', '/api/v1/namespaces/default/events/a');

    expect(body).toMatchObject({
      kind: 'Event',
      involvedObject: { name: 'p' },
      message: 'n',
      reportingComponent: 'c/d',
    });
  });

  it('keep values that autoscaling/v1 has no field for', async () => {
    const server = await serverOfKinds();
    const memory = {
      type: 'Resource',
      resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
    };
    const cpu = {
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } },
    };
    const spec = {
      maxReplicas: 3,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
      metrics: [memory, cpu],
    };
    await post(server, '/apis/autoscaling/v2/NS/horizontalpodautoscalers', { spec });
    const path = 'namespaces/default/horizontalpodautoscalers/a';

    const v1 = await server.call('GET', `/apis/autoscaling/v1/${path}`);
    const changed = { ...v1.body, spec: { ...v1.body.spec, maxReplicas: 4 } };
    await server.call('PUT', `/apis/autoscaling/v1/${path}`, changed);
    const v2 = await server.call('GET', `/apis/autoscaling/v2/${path}`);

    expect(v1.body.spec).toMatchObject({ targetCPUUtilizationPercentage: 60 });
    expect(v2.body.spec).toMatchObject({ maxReplicas: 4, metrics: [cpu, memory] });
  });
});
