import type { Pod } from '@fairway/kube/kinds/generated/types';
import { Pods } from '@fairway/kube/kinds/resources';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import { expect, test } from 'vitest';
import { TestCluster } from '../../testing/test-cluster.ts';

const where = { namespace: 'default' };

test('binding a pod to a node does not change the pod’s generation', async () => {
  await using cluster = await TestCluster.start();
  const pods = cluster.client.resource<Pod>(Pods);

  const created = await pods.create({
    metadata: { name: 'web', ...where },
    spec: { containers: [{ name: 'a', image: 'a' }] },
  });
  const bound = await eventuallyObject(pods, { ...where, name: 'web' }, ({ spec }) => Boolean(spec.nodeName));
  const changed = await pods.patch('web', { type: 'merge', value: { spec: { activeDeadlineSeconds: 500 } } }, where);

  expect([created, bound, changed].map(({ metadata }) => metadata.generation)).toEqual([1, 1, 2]);
});
