import type { StatefulSet } from '@fairway/kube/kinds/generated/types';
import { ControllerRevisions, PersistentVolumeClaims, Pods, StatefulSets } from '@fairway/kube/kinds/resources';
import { eventually, eventuallyObject } from '@fairway/kube/testing/eventually';
import { describe, expect, it } from 'vitest';
import { TestCluster } from '../../../testing/test-cluster.ts';
import { template } from '../../../testing/workloads.ts';

const DB = { namespace: 'default', name: 'db' };

function statefulSet(replicas: number, spec: Partial<StatefulSet['spec']> = {}): StatefulSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { ...DB },
    spec: {
      replicas,
      serviceName: 'db',
      selector: { matchLabels: { app: 'db' } },
      template: template({ app: 'db' }, 'db:1'),
      ...spec,
    },
  };
}

function untilReady(cluster: TestCluster, replicas: number): Promise<StatefulSet> {
  return eventuallyObject(cluster.client.resource(StatefulSets), DB, ({ status }) => {
    expect([status?.replicas, status?.readyReplicas ?? 0]).toEqual([replicas, replicas]);
    return true;
  });
}

describe('a StatefulSet', () => {
  it('starts its pods in order, and terminates them in reverse', async () => {
    await using cluster = await TestCluster.start({
      fateOf: ({ metadata }) => (metadata.name === 'db-1' ? 'hold' : 'run'),
    });
    await cluster.client.resource(StatefulSets).create(statefulSet(3));
    await eventually(cluster.client.resource(Pods), { namespace: 'default' }, (pods) => {
      expect(pods.map(({ metadata, spec }) => [metadata.name, Boolean(spec.nodeName)])).toEqual([
        ['db-0', true],
        ['db-1', true],
      ]);
      return true;
    });
    cluster.nodes.fateOf = () => 'run';
    cluster.nodes.resync();
    await untilReady(cluster, 3);
    await cluster.client
      .resource(StatefulSets)
      .patch('db', { type: 'merge', value: { spec: { replicas: 1 } } }, { namespace: 'default' });
    await untilReady(cluster, 1);
    expect((await cluster.list(Pods)).map(({ metadata }) => metadata.name)).toEqual(['db-0']);
  });

  it('gives each pod its own claims, which are retained', async () => {
    await using cluster = await TestCluster.start({ fateOf: () => 'run' });
    const claim = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    await cluster.client
      .resource(StatefulSets)
      .create(statefulSet(2, { podManagementPolicy: 'Parallel', volumeClaimTemplates: [claim] }));
    await eventually(cluster.client.resource(PersistentVolumeClaims), { namespace: 'default' }, (claims) => {
      expect(claims.map(({ metadata }) => metadata.name)).toEqual(['data-db-0', 'data-db-1']);
      return true;
    });
    const pods = await eventually(cluster.client.resource(Pods), { namespace: 'default' }, (pods) => pods.length === 2);
    expect(
      pods.map(({ spec }) => spec.volumes?.find(({ name }) => name === 'data')?.persistentVolumeClaim?.claimName),
    ).toEqual(['data-db-0', 'data-db-1']);
  });

  it('owns its claims as long as its retention policy requires it', async () => {
    await using cluster = await TestCluster.start();
    const sets = cluster.client.resource(StatefulSets);
    const claim = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    await sets.create(statefulSet(1, { volumeClaimTemplates: [claim] }));
    const untilOwned = (owners: number) =>
      eventually(cluster.client.resource(PersistentVolumeClaims), { namespace: 'default' }, (claims) => {
        expect(claims.map(({ metadata }) => metadata.ownerReferences?.length ?? 0)).toEqual([owners]);
        return true;
      });
    const retain = (whenDeleted: string) =>
      sets.patch(
        'db',
        { type: 'merge', value: { spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted } } } },
        { namespace: 'default' },
      );
    await eventually(cluster.client.resource(Pods), { namespace: 'default' }, (pods) => pods.length === 1);
    await untilOwned(0);
    await retain('Delete');
    await untilOwned(1);
    await retain('Retain');
    await untilOwned(0);
  });

  it('updates from the last pod down to the partition', async () => {
    await using cluster = await TestCluster.start();
    const sets = cluster.client.resource(StatefulSets);
    await sets.create(statefulSet(3, { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } }));
    await untilReady(cluster, 3);
    await sets.patch(
      'db',
      { type: 'strategic', value: { spec: { template: template({ app: 'db' }, 'db:2') } } },
      { namespace: 'default' },
    );
    await eventuallyObject(sets, DB, ({ status }) => {
      expect(status).toMatchObject({ updatedReplicas: 2, readyReplicas: 3, currentReplicas: 1 });
      return true;
    });
    const images = (await cluster.list(Pods)).map(({ spec }) => spec.containers[0]?.image);
    expect(images).toEqual(['db:1', 'db:2', 'db:2']);
    await sets.patch(
      'db',
      { type: 'merge', value: { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } } },
      { namespace: 'default' },
    );
    const { status } = await eventuallyObject(
      sets,
      DB,
      ({ status }) => status?.currentRevision === status?.updateRevision && status?.updatedReplicas === 3,
    );
    expect(status?.currentReplicas).toBe(3);
    expect(await cluster.list(ControllerRevisions)).toHaveLength(2);
  });

  it('re-creates a lost pod under the same name', async () => {
    await using cluster = await TestCluster.start();
    await cluster.client.resource(StatefulSets).create(statefulSet(2));
    await untilReady(cluster, 2);
    const before = await cluster.client.resource(Pods).get('db-0', { namespace: 'default' });
    await cluster.client.resource(Pods).delete('db-0', { namespace: 'default' });
    const after = await eventuallyObject(
      cluster.client.resource(Pods),
      { namespace: 'default', name: 'db-0' },
      ({ metadata, status }) => metadata.uid !== before.metadata.uid && status?.phase === 'Running',
    );
    expect(after.spec.hostname).toBe('db-0');
  });
});
