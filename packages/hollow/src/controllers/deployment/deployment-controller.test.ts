import type { Deployment } from '@fairway/kube/kinds/generated/types';
import { Deployments, Pods } from '@fairway/kube/kinds/resources';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import { describe, expect, it } from 'vitest';
import { TestCluster, template } from '../../testing/test-cluster.ts';

function web(replicas: number, spec: Partial<Deployment['spec']> = {}): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default' },
    spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: template({ app: 'web' }), ...spec },
  };
}

describe('a Deployment', () => {
  it('runs its pods on the nodes and says that it is available', async () => {
    await using cluster = await TestCluster.start();
    await cluster.client.resource(Deployments).create(web(6));
    const { status } = await eventuallyObject(
      cluster.client.resource(Deployments),
      { namespace: 'default', name: 'web' },
      ({ status }) => expect(status).toMatchObject({ replicas: 6, readyReplicas: 6, availableReplicas: 6 }),
    );
    expect(status?.observedGeneration).toBe(1);
    const pods = await cluster.list(Pods);
    expect(pods.map(({ status }) => status?.phase)).toEqual(Array.from({ length: 6 }, () => 'Running'));
    const perNode = Object.values(Object.groupBy(pods, ({ spec }) => spec.nodeName ?? '')).map((on) => on?.length);
    expect(perNode).toEqual([2, 2, 2]);
    await eventuallyObject(cluster.client.resource(Deployments), { namespace: 'default', name: 'web' }, ({ status }) =>
      status?.conditions?.some(({ reason }) => reason === 'NewReplicaSetAvailable'),
    );
  });
});
