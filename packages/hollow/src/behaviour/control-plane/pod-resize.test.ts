import type { LimitRange, Pod, PodSpec, ResourceQuota } from '@fairway/kube/kinds/generated/types';
import { LimitRanges, Pods, ResourceQuotas } from '@fairway/kube/kinds/resources';
import { expect, test } from 'vitest';
import { TestCluster } from '../../testing/test-cluster.ts';

const where = { namespace: 'default', subresource: 'resize' };
const HALF = { requests: { cpu: '500m', memory: '64Mi' }, limits: { cpu: '1', memory: '64Mi' } };

async function withPod(cluster: TestCluster, spec: Partial<PodSpec> = {}) {
  const pods = cluster.client.resource<Pod>(Pods);
  const containers = [{ name: 'main', image: 'nginx', resources: HALF }];
  await pods.create({ metadata: { namespace: 'default', name: 'web' }, spec: { containers, ...spec } });
  /** Imitates `kubectl patch --subresource resize`. */
  return (change: object) => pods.patch('web', { type: 'strategic', value: { spec: change } }, where);
}

function main(resources: object) {
  return { containers: [{ name: 'main', resources }] };
}

test('a resize changes CPU and memory, and increases the pod’s generation', async () => {
  await using cluster = await TestCluster.start({ nodes: [] });
  const resize = await withPod(cluster);
  const after = await resize(main({ requests: { cpu: '750m' }, limits: { memory: '0.125Gi' } }));

  expect(after.metadata.generation).toBe(2);
  expect(after.spec.containers[0]?.resources).toEqual({
    requests: { cpu: '750m', memory: '64Mi' },
    limits: { cpu: '1', memory: '128Mi' },
  });
});

test('a resize does not change the pod’s other fields', async () => {
  await using cluster = await TestCluster.start({ nodes: [] });
  const resize = await withPod(cluster);
  const containers = [{ name: 'main', image: 'other', resources: { requests: { cpu: '600m' } } }];
  const after = await resize({ activeDeadlineSeconds: 5, containers });

  expect(after.spec.activeDeadlineSeconds).toBeUndefined();
  expect(after.spec.containers[0]).toMatchObject({ image: 'nginx', resources: { requests: { cpu: '600m' } } });
});

const SIDECAR = { name: 'side', image: 'nginx', restartPolicy: 'Always', resources: HALF };
const INIT = { name: 'init', image: 'nginx', resources: HALF };

test.each([
  {
    reason: 'another QoS class',
    change: main({ requests: { cpu: '1', memory: '64Mi' } }),
    message: 'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
  },
  {
    reason: 'a removed request',
    spec: { containers: [{ name: 'main', image: 'nginx', resources: { requests: HALF.requests } }] },
    change: main({ requests: { cpu: null } }),
    message: 'spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed',
  },
  {
    reason: 'a removed limit',
    change: main({ limits: { memory: null } }),
    message: 'spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed',
  },
  {
    reason: 'another resource',
    change: main({ requests: { 'ephemeral-storage': '1Gi' } }),
    message: 'spec: Forbidden: only cpu and memory resources are mutable',
  },
  {
    reason: 'another resize policy',
    change: {
      containers: [{ name: 'main', resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] }],
    },
    message: 'spec: Forbidden: only cpu and memory resources are mutable',
  },
  {
    reason: 'a request above its limit',
    change: main({ requests: { cpu: '2' } }),
    message: 'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
  },
  {
    reason: 'an additional container',
    change: { containers: [{ name: 'more', image: 'a' }] },
    message: 'spec.containers: Forbidden: containers may not be added or removed on resize',
  },
  {
    reason: 'an init container that is not a sidecar',
    spec: { initContainers: [INIT] },
    change: { initContainers: [{ name: 'init', resources: { requests: { cpu: '600m' } } }] },
    message: 'spec: Forbidden: resources for non-sidecar init containers are immutable',
  },
])('rejects a resize with $reason', async ({ change, spec = {}, message }) => {
  await using cluster = await TestCluster.start({ nodes: [] });
  const resize = await withPod(cluster, spec);

  await expect(resize(change)).rejects.toMatchObject({ code: 422, message: expect.stringContaining(message) });
});

test('resizes a sidecar', async () => {
  await using cluster = await TestCluster.start({ nodes: [] });
  const resize = await withPod(cluster, { initContainers: [SIDECAR] });
  const after = await resize({ initContainers: [{ name: 'side', resources: { requests: { cpu: '600m' } } }] });

  expect(after.spec.initContainers?.[0]?.resources?.requests).toEqual({ cpu: '600m', memory: '64Mi' });
});

test('rejects a resize on a node whose kubelet reports no resources', async () => {
  await using cluster = await TestCluster.start({ nodes: [] });
  const resize = await withPod(cluster);
  const running = { name: 'main', image: 'nginx', imageID: '', ready: true, restartCount: 0, state: { running: {} } };
  const value = { status: { containerStatuses: [running] } };
  await cluster.client
    .resource<Pod>(Pods)
    .patch('web', { type: 'merge', value }, { namespace: 'default', subresource: 'status' });

  await expect(resize(main({ requests: { cpu: '600m' } }))).rejects.toMatchObject({
    message: expect.stringContaining('spec: Forbidden: Pod running on node without support for resize'),
  });
});

test('enforces the namespace’s quota on a resize', async () => {
  await using cluster = await TestCluster.start({ nodes: [] });
  const resize = await withPod(cluster);
  await cluster.client
    .resource<ResourceQuota>(ResourceQuotas)
    .create({ metadata: { namespace: 'default', name: 'all' }, spec: { hard: { 'requests.cpu': '600m' } } });

  await expect(resize(main({ requests: { cpu: '700m' } }))).rejects.toMatchObject({
    code: 403,
    message: expect.stringContaining('exceeded quota: all, requested: requests.cpu=200m, used: requests.cpu=500m'),
  });
  expect((await resize(main({ requests: { cpu: '600m' } }))).spec.containers[0]?.resources?.requests?.['cpu']).toBe(
    '600m',
  );
});

test('enforces the bounds of the namespace’s LimitRange on a resize', async () => {
  await using cluster = await TestCluster.start({ nodes: [] });
  const resize = await withPod(cluster);
  const spec = { limits: [{ type: 'Container', max: { cpu: '1' } }] };
  await cluster.client
    .resource<LimitRange>(LimitRanges)
    .create({ metadata: { namespace: 'default', name: 'bounds' }, spec });

  await expect(resize(main({ limits: { cpu: '2' } }))).rejects.toMatchObject({
    code: 403,
    message: expect.stringContaining('maximum cpu usage per Container is 1, but limit is 2'),
  });
});

test.each<{ reason: string; body: object; code: number; message: string }>([
  { reason: 'no spec', body: {}, code: 422, message: 'spec.containers: Required value' },
  { reason: 'an empty spec', body: { spec: null }, code: 422, message: 'spec.containers: Required value' },
  {
    reason: 'an empty container',
    body: { spec: { containers: [null] } },
    code: 400,
    message: 'cannot unmarshal null into Go struct field Pod.spec.containers of type object',
  },
  {
    reason: 'an invalid quantity',
    body: { spec: { containers: [{ name: 'main', image: 'nginx', resources: { requests: { cpu: 'x' } } }] } },
    code: 422,
    message: 'spec.containers[0].resources.requests[cpu]: Invalid value: "x"',
  },
  {
    reason: 'the UID of an earlier pod with the same name',
    body: { metadata: { uid: 'former' }, spec: { containers: [{ name: 'main', image: 'nginx', resources: HALF }] } },
    code: 409,
    message: 'Precondition failed: UID in precondition: former',
  },
])('rejects a resize that sends a whole pod with $reason', async ({ body, code, message }) => {
  await using cluster = await TestCluster.start({ nodes: [] });
  await withPod(cluster);
  const response = cluster.client.raw({
    method: 'PUT',
    path: '/api/v1/namespaces/default/pods/web/resize',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, metadata: { name: 'web', ...(body as Partial<Pod>).metadata } }),
  });

  await expect(response).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
});
