import type { Container, Pod, ResourceRequirements } from '@fairway/kube/kinds/generated/types';
import { Nodes, Pods } from '@fairway/kube/kinds/resources';
import { eventuallyDeleted, eventuallyObject } from '@fairway/kube/testing/eventually';
import { describe, expect, test } from 'vitest';
import { allocate, previousAllocation } from './pod-resize.ts';
import { NodeCluster } from './testing/node-cluster.ts';

const NODE = new Map([
  ['cpu', 2000],
  ['memory', 1000 * 2 ** 30],
]);

function podOf(requests: Record<string, string>, container: Partial<Container> = {}): Pod {
  return {
    metadata: { name: 'web' },
    spec: { containers: [{ name: 'app', image: 'a', resources: { requests }, ...container }] },
  };
}

const restart = (resourceName: string) => [{ resourceName, restartPolicy: 'RestartContainer' }];

test.each([
  { reason: 'no change', to: { cpu: '500m' }, given: '500m' },
  { reason: 'an increase with enough capacity', to: { cpu: '1' }, given: '1' },
  { reason: 'less', to: { cpu: '100m' }, given: '100m' },
  {
    reason: 'an increase beyond the capacity left by other pods',
    to: { cpu: '1500m' },
    given: '500m',
    pending: "Deferred Node didn't have enough resource: cpu, requested: 1500, used: 1000, capacity: 2000",
  },
  {
    reason: 'more memory than the node has',
    to: { cpu: '500m', memory: '2Gi' },
    given: '500m',
    pending: "Deferred Node didn't have enough resource: memory, requested: 2147483648, used: 0, capacity: 1073741824",
  },
  {
    reason: 'a resize that requires a restart',
    to: { cpu: '1' },
    policy: 'cpu',
    given: '500m',
    pending:
      'Infeasible a hollow node does not restart containers to resize them, which the resizePolicy of app requires',
  },
  { reason: 'a resize without restart', to: { cpu: '1' }, policy: 'memory', given: '1' },
])('decides on a resize: $reason', ({ to, policy, given, pending }) => {
  const before = previousAllocation(podOf({ cpu: '500m' }));
  const pod = podOf(to, policy === undefined ? {} : { resizePolicy: restart(policy) });
  const allocated = allocate(pod, before, () => [podOf({ cpu: '1' })], NODE);

  expect(allocated.allocation.get('app')?.requests?.['cpu']).toBe(given);
  expect(allocated.pending && `${allocated.pending.reason} ${allocated.pending.message}`).toBe(pending);
});

describe('a hollow node', () => {
  const requests = (cpu: string): ResourceRequirements => ({ requests: { cpu, memory: '64Mi' } });

  async function started(cluster: NodeCluster): Promise<void> {
    cluster.node().start();
    const nodes = cluster.client.resource(Nodes);
    await eventuallyObject(nodes, { name: 'node-1' });
    await nodes.patch('node-1', {
      type: 'merge',
      value: { spec: { podCIDR: '10.2.3.0/24', podCIDRs: ['10.2.3.0/24'] } },
    });
  }

  function run(cluster: NodeCluster, name: string, cpu: string): Promise<Pod> {
    return cluster.runPod(name, { containers: [{ name: 'app', image: 'nginx', resources: requests(cpu) }] });
  }

  function resize(cluster: NodeCluster, name: string, cpu: string): Promise<Pod> {
    const value = { spec: { containers: [{ name: 'app', resources: requests(cpu) }] } };
    return cluster.client
      .resource<Pod>(Pods)
      .patch(name, { type: 'strategic', value }, { namespace: 'default', subresource: 'resize' });
  }

  function has(cluster: NodeCluster, name: string, cpu: string): Promise<Pod> {
    return eventuallyObject(
      cluster.client.resource<Pod>(Pods),
      { namespace: 'default', name },
      ({ status }) => status?.containerStatuses?.[0]?.resources?.requests?.['cpu'] === cpu,
    );
  }

  function pendingOf({ status }: Pod): string | undefined {
    return status?.conditions?.find(({ type }) => type === 'PodResizePending')?.reason;
  }

  test('reports and allocates requested resources without a restart', async () => {
    await using cluster = await NodeCluster.start();
    await started(cluster);
    await run(cluster, 'web', '500m');
    const before = await has(cluster, 'web', '500m');
    await resize(cluster, 'web', '1');
    const after = await has(cluster, 'web', '1');

    expect(after.status?.containerStatuses).toMatchObject([
      { restartCount: 0, ready: true, allocatedResources: { cpu: '1', memory: '64Mi' }, resources: requests('1') },
    ]);
    expect(after.status?.containerStatuses?.[0]?.containerID).toBe(before.status?.containerStatuses?.[0]?.containerID);
    expect(pendingOf(after)).toBeUndefined();
  });

  test('defers a resize until there is capacity, reports the delay, and then allocates the resources', async () => {
    await using cluster = await NodeCluster.start();
    await started(cluster);
    await run(cluster, 'other', '2');
    await run(cluster, 'web', '1');
    await has(cluster, 'other', '2');
    await has(cluster, 'web', '1');
    await resize(cluster, 'web', '3');
    const pods = cluster.client.resource<Pod>(Pods);
    const waiting = await eventuallyObject(
      pods,
      { namespace: 'default', name: 'web' },
      (pod) => pendingOf(pod) !== undefined,
    );
    expect(pendingOf(waiting)).toBe('Deferred');
    expect(waiting.status?.containerStatuses?.[0]?.resources?.requests?.['cpu']).toBe('1');

    await pods.delete('other', { namespace: 'default', gracePeriodSeconds: 0 });
    await eventuallyDeleted(pods, { namespace: 'default', name: 'other' });

    expect(pendingOf(await has(cluster, 'web', '3'))).toBeUndefined();
  });

  test('stores the allocation in the status and restores it after a restart', async () => {
    await using cluster = await NodeCluster.start();
    await started(cluster);
    await run(cluster, 'other', '2');
    await run(cluster, 'web', '1');
    await has(cluster, 'web', '1');
    await resize(cluster, 'web', '3');
    const pods = cluster.client.resource<Pod>(Pods);
    await eventuallyObject(pods, { namespace: 'default', name: 'web' }, (pod) => pendingOf(pod) !== undefined);
    const { spec, status } = await pods.get('web', { namespace: 'default' });

    expect(previousAllocation({ metadata: {}, spec, status: status ?? {} }).get('app')).toEqual(requests('1'));
  });
});
