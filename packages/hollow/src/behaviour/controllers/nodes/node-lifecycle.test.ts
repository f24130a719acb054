import type { Taint } from '@fairway/kube/kinds/generated/types';
import { Deployments, Nodes, Pods } from '@fairway/kube/kinds/resources';
import { eventually, eventuallyObject } from '@fairway/kube/testing/eventually';
import { describe, expect, it } from 'vitest';
import { TestCluster } from '../../../testing/test-cluster.ts';
import { deployment, pod } from '../../../testing/workloads.ts';

function named(taints: readonly Taint[] | undefined): string[] {
  return (taints ?? []).map(({ key, effect }) => `${key}:${effect}`).sort();
}

describe('a node', () => {
  it('is untainted when it is ready, and has a pod CIDR', async () => {
    await using cluster = await TestCluster.start();
    const nodes = await eventually(cluster.client.resource(Nodes), {}, (nodes) => {
      expect(nodes.every(({ spec }) => spec.podCIDR !== undefined && !spec.taints?.length)).toBe(true);
      return true;
    });
    expect(nodes.map(({ spec }) => spec.podCIDR ?? '').sort()).toEqual(['10.2.0.0/24', '10.2.1.0/24', '10.2.2.0/24']);
  });

  it('is tainted while it is cordoned', async () => {
    await using cluster = await TestCluster.start({ nodes: ['node-a'] });
    const nodes = cluster.client.resource(Nodes);
    await nodes.patch('node-a', { type: 'merge', value: { spec: { unschedulable: true } } });
    await eventuallyObject(nodes, { name: 'node-a' }, ({ spec }) => {
      expect(named(spec.taints)).toEqual(['node.kubernetes.io/unschedulable:NoSchedule']);
      return true;
    });
  });

  it('becomes Unknown after its grace period if it dies, and its pods are replaced after their toleration expires', async () => {
    await using cluster = await TestCluster.start();
    await cluster.client.resource(Deployments).create(deployment(6));
    const before = await eventually(cluster.client.resource(Pods), { namespace: 'default' }, (pods) => {
      expect(pods.filter(({ status }) => status?.phase === 'Running')).toHaveLength(6);
      return true;
    });
    const lost = before.filter(({ spec }) => spec.nodeName === 'node-a').map(({ metadata }) => metadata.name ?? '');
    cluster.nodes.kill('node-a');
    await cluster.advance(40);
    expect(named((await cluster.client.resource(Nodes).get('node-a')).spec.taints)).toEqual([]);
    await cluster.advance(20);
    await eventuallyObject(cluster.client.resource(Nodes), { name: 'node-a' }, ({ spec, status }) => {
      expect(status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
        status: 'Unknown',
        reason: 'NodeStatusUnknown',
      });
      expect(named(spec.taints)).toEqual([
        'node.kubernetes.io/unreachable:NoExecute',
        'node.kubernetes.io/unreachable:NoSchedule',
      ]);
      return true;
    });
    await cluster.advance(310);
    await eventually(cluster.client.resource(Pods), { namespace: 'default' }, (pods) => {
      const terminating = pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
      expect(terminating.map(({ metadata }) => metadata.name ?? '').sort()).toEqual(lost.sort());
      const running = pods.filter(({ metadata, status }) => !metadata.deletionTimestamp && status?.phase === 'Running');
      expect(running.map(({ spec }) => spec.nodeName).filter((node) => node === 'node-a')).toEqual([]);
      expect(running).toHaveLength(6);
      return true;
    });
    // The node is removed: nothing can confirm that its pods have stopped, so they are garbage-collected.
    await cluster.client.resource(Nodes).delete('node-a');
    await cluster.advance(60);
    await eventually(cluster.client.resource(Pods), { namespace: 'default' }, (pods) => pods.length === 6);
  });

  it('keeps its pods when all nodes fail at once', async () => {
    await using cluster = await TestCluster.start({ nodes: ['node-a', 'node-b'] });
    await cluster.client.resource(Pods).create(pod('lonely'));
    await eventuallyObject(
      cluster.client.resource(Pods),
      { namespace: 'default', name: 'lonely' },
      ({ status }) => status?.phase === 'Running',
    );
    cluster.nodes.kill('node-a');
    cluster.nodes.kill('node-b');
    await cluster.advance(600);
    const nodes = await cluster.list(Nodes);
    expect(nodes.map(({ spec }) => named(spec.taints))).toEqual([
      ['node.kubernetes.io/unreachable:NoSchedule'],
      ['node.kubernetes.io/unreachable:NoSchedule'],
    ]);
    expect((await cluster.list(Pods)).map(({ metadata }) => metadata.deletionTimestamp)).toEqual([undefined]);
  });
});
