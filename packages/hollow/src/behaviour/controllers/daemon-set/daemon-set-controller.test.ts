import type { DaemonSet } from '@fairway/kube/kinds/generated/types';
import { ControllerRevisions, DaemonSets, Nodes, Pods } from '@fairway/kube/kinds/resources';
import { canonicalJson } from '@fairway/kube/object/json';
import { eventually, eventuallyObject } from '@fairway/kube/testing/eventually';
import { describe, expect, it } from 'vitest';
import { TestCluster } from '../../../testing/test-cluster.ts';
import { template } from '../../../testing/workloads.ts';

const AGENT = { namespace: 'default', name: 'agent' };

function daemonSet(spec: Partial<DaemonSet['spec']> = {}): DaemonSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { ...AGENT },
    spec: { selector: { matchLabels: { app: 'agent' } }, template: template({ app: 'agent' }, 'agent:1'), ...spec },
  };
}

describe('a DaemonSet', () => {
  it('runs one pod on each node, including cordoned and new nodes', async () => {
    await using cluster = await TestCluster.start({ nodes: ['node-a', 'node-b'] });
    await cluster.client.resource(Nodes).patch('node-b', { type: 'merge', value: { spec: { unschedulable: true } } });
    await cluster.client.resource(DaemonSets).create(daemonSet());
    await eventuallyObject(cluster.client.resource(DaemonSets), AGENT, ({ status }) => {
      expect(status).toMatchObject({
        desiredNumberScheduled: 2,
        numberReady: 2,
        numberAvailable: 2,
        updatedNumberScheduled: 2,
      });
      return true;
    });
    await cluster.nodes.add('node-c');
    const pods = await eventually(
      cluster.client.resource(Pods),
      { namespace: 'default' },
      (pods) => pods.filter(({ status }) => status?.phase === 'Running').length === 3,
    );
    expect(pods.map(({ spec }) => spec.nodeName ?? '').sort()).toEqual(['node-a', 'node-b', 'node-c']);
  });

  it('does not run on nodes that it does not select or whose taints it does not tolerate', async () => {
    await using cluster = await TestCluster.start({ nodes: ['node-a'] });
    await cluster.nodes.add('node-gpu', { labels: { gpu: 'yes' } });
    const [pod] = [template({ app: 'agent' })];
    await cluster.client
      .resource(DaemonSets)
      .create(
        daemonSet({ template: { ...pod, spec: { containers: [], ...pod?.spec, nodeSelector: { gpu: 'yes' } } } }),
      );
    await eventually(cluster.client.resource(Pods), { namespace: 'default' }, (pods) => {
      expect(pods.map(({ spec }) => spec.nodeName)).toEqual(['node-gpu']);
      return true;
    });
    await cluster.client
      .resource(Nodes)
      .patch('node-gpu', { type: 'merge', value: { spec: { taints: [{ key: 'drained', effect: 'NoExecute' }] } } });
    await eventually(cluster.client.resource(Pods), { namespace: 'default' }, (pods) => {
      expect(pods).toEqual([]);
      return true;
    });
  });

  it('updates one node at a time', async () => {
    await using cluster = await TestCluster.start();
    const sets = cluster.client.resource(DaemonSets);
    await sets.create(daemonSet());
    await eventuallyObject(sets, AGENT, ({ status }) => status?.numberAvailable === 3);
    cluster.nodes.fateOf = ({ spec }) => (spec.containers[0]?.image === 'agent:2' ? 'hold' : 'run');
    await sets.patch(
      'agent',
      { type: 'strategic', value: { spec: { template: template({ app: 'agent' }, 'agent:2') } } },
      { namespace: 'default' },
    );
    await eventuallyObject(sets, AGENT, ({ status }) => {
      expect(status).toMatchObject({ updatedNumberScheduled: 1, numberAvailable: 2, numberUnavailable: 1 });
      return true;
    });
    cluster.nodes.fateOf = () => 'run';
    cluster.nodes.resync();
    await eventuallyObject(sets, AGENT, ({ status }) => {
      expect(status).toMatchObject({ updatedNumberScheduled: 3, numberAvailable: 3 });
      return true;
    });
    const revisions = await cluster.list(ControllerRevisions);
    const hashes = revisions.map(({ metadata }) => metadata.labels?.['controller-revision-hash']);
    const pods = await cluster.list(Pods);
    expect(new Set(revisions.map(({ revision }) => revision))).toEqual(new Set([1, 2]));
    expect(hashes).toContain(pods[0]?.metadata.labels?.['controller-revision-hash']);
    // Clients compare the data byte by byte with what Go writes, which sorts the keys.
    for (const { data } of revisions) expect(JSON.stringify(data)).toBe(canonicalJson(data));
  });
});
