import { MemoryStore } from '@fairway/apiserver/store/memory-store';
import { Informer } from '@fairway/kube/client/informer';
import type { Deployment } from '@fairway/kube/kinds/generated/types';
import { Deployments, Events, Pods, ReplicaSets } from '@fairway/kube/kinds/resources';
import { eventually, eventuallyObject } from '@fairway/kube/testing/eventually';
import { describe, expect, it } from 'vitest';
import { REVISION_ANNOTATION } from '../../../controllers/deployment/revisions.ts';
import { isPodActive, isPodReady } from '../../../controllers/pods.ts';
import { TestCluster } from '../../../testing/test-cluster.ts';
import { deployment, template } from '../../../testing/workloads.ts';

const WEB = { namespace: 'default', name: 'web' };

function untilRolledOut(cluster: TestCluster, replicas: number, generation: number): Promise<Deployment> {
  return eventuallyObject(cluster.client.resource(Deployments), WEB, ({ status }) => {
    expect(status).toMatchObject({ observedGeneration: generation });
    expect(status?.conditions?.find(({ type }) => type === 'Progressing')?.reason).toBe('NewReplicaSetAvailable');
    expect([status?.replicas ?? 0, status?.updatedReplicas ?? 0, status?.availableReplicas ?? 0]).toEqual([
      replicas,
      replicas,
      replicas,
    ]);
    return true;
  });
}

async function imagesOf(cluster: TestCluster): Promise<(string | undefined)[]> {
  const pods = await cluster.list(Pods);
  return [
    ...new Set(pods.filter(({ metadata }) => !metadata.deletionTimestamp).map(({ spec }) => spec.containers[0]?.image)),
  ];
}

describe('a Deployment', () => {
  it('runs its pods, spread over the nodes, and becomes Available', async () => {
    await using cluster = await TestCluster.start();
    await cluster.client.resource(Deployments).create(deployment(6));
    await untilRolledOut(cluster, 6, 1);
    const pods = await cluster.list(Pods);
    expect(pods.map(({ status }) => status?.phase)).toEqual(Array.from({ length: 6 }, () => 'Running'));
    const podsPerNode = Object.values(Object.groupBy(pods, ({ spec }) => spec.nodeName ?? '')).map((on) => on?.length);
    expect(podsPerNode).toEqual([2, 2, 2]);
    const [set] = await cluster.list(ReplicaSets);
    const hash = set?.metadata.labels?.['pod-template-hash'];
    expect(set?.metadata.name).toBe(`web-${hash}`);
    expect(pods.every(({ metadata }) => metadata.labels?.['pod-template-hash'] === hash)).toBe(true);
    await eventually(cluster.client.resource(Events), { namespace: 'default' }, (events) => {
      expect(events.map(({ message }) => message)).toContain(`Scaled up replica set web-${hash} from 0 to 6`);
      return true;
    });
  });

  it('rolls a template out and back, never dropping below the minimum available', async () => {
    await using cluster = await TestCluster.start();
    const deployments = cluster.client.resource(Deployments);
    await deployments.create(deployment(4));
    await untilRolledOut(cluster, 4, 1);
    let minReady = 4;
    const count = () => {
      minReady = Math.min(minReady, pods.list().filter((pod) => isPodActive(pod) && isPodReady(pod)).length);
    };
    const pods = new Informer(cluster.client.resource(Pods), { namespace: 'default' });
    const stop = new AbortController();
    pods.start(stop.signal);
    await pods.whenSynced();
    pods.addHandler({ onUpdate: count, onDelete: count });
    await deployments.patch(
      'web',
      { type: 'strategic', value: { spec: { template: template({ app: 'web' }, 'nginx:2') } } },
      { namespace: 'default' },
    );
    const updated = await untilRolledOut(cluster, 4, 2);
    expect(updated.metadata.annotations?.[REVISION_ANNOTATION]).toBe('2');
    expect(await imagesOf(cluster)).toEqual(['nginx:2']);
    stop.abort();
    await pods.stopped;
    expect(minReady).toBeGreaterThanOrEqual(3);
    await deployments.patch(
      'web',
      { type: 'strategic', value: { spec: { template: template({ app: 'web' }) } } },
      { namespace: 'default' },
    );
    const rolledBack = await untilRolledOut(cluster, 4, 3);
    expect(rolledBack.metadata.annotations?.[REVISION_ANNOTATION]).toBe('3');
    const sets = await cluster.list(ReplicaSets);
    expect(sets.map(({ metadata }) => metadata.annotations?.[REVISION_ANNOTATION] ?? '').sort()).toEqual(['2', '3']);
    expect(
      sets.find(({ spec }) => spec.replicas === 4)?.metadata.annotations?.['deployment.kubernetes.io/revision-history'],
    ).toBe('1');
  });

  it('stops a rollout whose pods do not become ready, and reports the failure after the deadline', async () => {
    await using cluster = await TestCluster.start({
      fateOf: ({ spec }) => (spec.containers[0]?.image === 'broken' ? 'hold' : 'run'),
    });
    const deployments = cluster.client.resource(Deployments);
    await deployments.create(deployment(4, { progressDeadlineSeconds: 60 }));
    await untilRolledOut(cluster, 4, 1);
    await deployments.patch(
      'web',
      { type: 'strategic', value: { spec: { template: template({ app: 'web' }, 'broken') } } },
      { namespace: 'default' },
    );
    // maxUnavailable and maxSurge are 25% of four.
    await eventuallyObject(deployments, WEB, ({ status }) => {
      expect(status).toMatchObject({ replicas: 5, updatedReplicas: 2, availableReplicas: 3, unavailableReplicas: 2 });
      return true;
    });
    await cluster.advance(70);
    await eventuallyObject(deployments, WEB, ({ status }) =>
      (status?.conditions ?? []).some(
        ({ type, status, reason }) =>
          type === 'Progressing' && status === 'False' && reason === 'ProgressDeadlineExceeded',
      ),
    );
  });

  it('scales to zero, and its dependents are deleted with it', async () => {
    await using cluster = await TestCluster.start();
    const deployments = cluster.client.resource(Deployments);
    await deployments.create(deployment(3));
    await untilRolledOut(cluster, 3, 1);
    await deployments.patch('web', { type: 'merge', value: { spec: { replicas: 1 } } }, { namespace: 'default' });
    await eventually(cluster.client.resource(Pods), { namespace: 'default' }, (pods) => pods.length === 1);
    await deployments.delete('web', { namespace: 'default' });
    // An object may have changed before the garbage collector deletes it: the collector then retries a little later.
    const left = async () => {
      await cluster.advance(1);
      return [...(await cluster.list(ReplicaSets)), ...(await cluster.list(Pods))];
    };
    await expect.poll(left).toEqual([]);
  });

  it('replaces all pods at once with the strategy Recreate', async () => {
    await using cluster = await TestCluster.start();
    const deployments = cluster.client.resource(Deployments);
    await deployments.create(deployment(3, { strategy: { type: 'Recreate' } }));
    await untilRolledOut(cluster, 3, 1);
    await deployments.patch(
      'web',
      { type: 'strategic', value: { spec: { template: template({ app: 'web' }, 'nginx:2') } } },
      { namespace: 'default' },
    );
    await untilRolledOut(cluster, 3, 2);
    expect(await imagesOf(cluster)).toEqual(['nginx:2']);
  });

  it('continues a rollout after a restart of the control plane', async () => {
    const store = new MemoryStore();
    {
      await using cluster = await TestCluster.start({
        store,
        fateOf: ({ spec }) => (spec.containers[0]?.image === 'nginx:2' ? 'hold' : 'run'),
      });
      await cluster.client.resource(Deployments).create(deployment(4));
      await untilRolledOut(cluster, 4, 1);
      await cluster.client
        .resource(Deployments)
        .patch(
          'web',
          { type: 'strategic', value: { spec: { template: template({ app: 'web' }, 'nginx:2') } } },
          { namespace: 'default' },
        );
      await eventually(cluster.client.resource(Pods), { namespace: 'default' }, (pods) =>
        pods.some(({ spec }) => spec.containers[0]?.image === 'nginx:2' && spec.nodeName),
      );
    }
    await using again = await TestCluster.start({ store, nodes: [], knownNodes: ['node-a', 'node-b', 'node-c'] });
    await untilRolledOut(again, 4, 2);
    expect(await imagesOf(again)).toEqual(['nginx:2']);
  });
});
