import type { EphemeralContainer, Pod } from '@fairway/kube/kinds/generated/types';
import { Pods } from '@fairway/kube/kinds/resources';
import { expect, test } from 'vitest';
import { TestCluster } from '../../testing/test-cluster.ts';
import { pod } from '../../testing/workloads.ts';

const where = { namespace: 'default', subresource: 'ephemeralcontainers' };

async function withPod(cluster: TestCluster) {
  const pods = cluster.client.resource<Pod>(Pods);
  await pods.create(pod('web'));
  /** Imitates kubectl debug. */
  return (...ephemeralContainers: readonly Partial<EphemeralContainer>[]) =>
    pods.patch('web', { type: 'strategic', value: { spec: { ephemeralContainers } } }, where);
}

test('adds ephemeral containers to a pod and increases the pod’s generation', async () => {
  await using cluster = await TestCluster.start({ nodes: [] });
  const add = await withPod(cluster);

  const first = await add({ name: 'one', image: 'busybox', targetContainerName: 'main' });
  const second = await add({ name: 'two', image: 'busybox' });

  expect([first, second].map(({ metadata }) => metadata.generation)).toEqual([2, 3]);
  expect(second.spec.ephemeralContainers?.map(({ name }) => name).toSorted()).toEqual(['one', 'two']);
  expect(second.spec.ephemeralContainers?.[0]).toMatchObject({ terminationMessagePath: '/dev/termination-log' });
});

test.each([
  [
    'with a name that is already taken',
    { name: 'main', image: 'a' },
    'spec.ephemeralContainers[0].name: Duplicate value: "main"',
  ],
  ['without an image', { name: 'one' }, 'spec.ephemeralContainers[0].image: Required value'],
  [
    'that targets a missing container',
    { name: 'one', image: 'a', targetContainerName: 'x' },
    'spec.ephemeralContainers[0].targetContainerName: Not found: "x"',
  ],
  [
    'with a probe',
    { name: 'one', image: 'a', livenessProbe: { exec: { command: ['true'] } } },
    'spec.ephemeralContainers[0].livenessProbe: Forbidden: cannot be set for an Ephemeral Container',
  ],
])('rejects an ephemeral container %s', async (_, container, message) => {
  await using cluster = await TestCluster.start({ nodes: [] });
  const add = await withPod(cluster);

  await expect(add(container)).rejects.toMatchObject({ code: 422, message: expect.stringContaining(message) });
});

test('keeps existing containers and the pod’s other fields', async () => {
  await using cluster = await TestCluster.start({ nodes: [] });
  const add = await withPod(cluster);
  const pods = cluster.client.resource<Pod>(Pods);
  await add({ name: 'one', image: 'busybox' });

  await expect(add({ name: 'one', image: 'other' })).rejects.toMatchObject({
    message: expect.stringContaining('existing ephemeral containers "one" may not be changed'),
  });
  const value = { spec: { activeDeadlineSeconds: 5 } };
  const after = await pods.patch('web', { type: 'merge', value }, where);

  expect(after.spec.activeDeadlineSeconds).toBeUndefined();
  expect(after.metadata.generation).toBe(2);
});
