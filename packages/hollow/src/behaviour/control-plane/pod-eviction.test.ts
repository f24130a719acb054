import type { Eviction } from '@fairway/kube/kinds/generated/types';
import { Deployments, PodDisruptionBudgets, Pods } from '@fairway/kube/kinds/resources';
import { eventually, eventuallyObject } from '@fairway/kube/testing/eventually';
import { describe, expect, it } from 'vitest';
import { TestCluster } from '../../testing/test-cluster.ts';
import { deployment } from '../../testing/workloads.ts';

function evict(cluster: TestCluster, name: string): Promise<Eviction> {
  const eviction: Eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'default' } };
  return cluster.client.resource(Pods).createSubresource(name, 'eviction', eviction, { namespace: 'default' });
}

describe('eviction', () => {
  it('never exceeds the disruption budget', async () => {
    await using cluster = await TestCluster.start();
    const budgets = cluster.client.resource(PodDisruptionBudgets);
    await cluster.client.resource(Deployments).create(deployment(3));
    await budgets.create({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web', namespace: 'default' },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
    });
    await eventuallyObject(budgets, { namespace: 'default', name: 'web' }, ({ status }) => {
      expect(status).toMatchObject({ expectedPods: 3, desiredHealthy: 2, currentHealthy: 3, disruptionsAllowed: 1 });
      return true;
    });
    const [first, second] = await cluster.list(Pods);
    cluster.nodes.fateOf = () => 'hold';
    await evict(cluster, first?.metadata.name ?? '');
    await expect(evict(cluster, second?.metadata.name ?? '')).rejects.toMatchObject({
      code: 429,
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      retryAfterSeconds: undefined,
      causes: [
        { reason: 'DisruptionBudget', message: 'The disruption budget web needs 2 healthy pods and has 2 currently' },
      ],
    });
    cluster.nodes.fateOf = () => 'run';
    cluster.nodes.resync();
    await eventuallyObject(
      budgets,
      { namespace: 'default', name: 'web' },
      ({ status }) => status?.disruptionsAllowed === 1,
    );
    await evict(cluster, second?.metadata.name ?? '');
    await eventually(cluster.client.resource(Pods), { namespace: 'default' }, (pods) => {
      expect(pods.map(({ metadata }) => metadata.name)).not.toContain(second?.metadata.name);
      expect(pods.filter(({ status }) => status?.phase === 'Running')).toHaveLength(3);
      return true;
    });
  });
});
