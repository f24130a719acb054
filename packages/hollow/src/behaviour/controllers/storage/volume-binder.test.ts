import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@fairway/kube/kinds/generated/types';
import { PersistentVolumeClaims, PersistentVolumes, Pods, StorageClasses } from '@fairway/kube/kinds/resources';
import { eventuallyDeleted, eventuallyObject } from '@fairway/kube/testing/eventually';
import { describe, expect, it } from 'vitest';
import { TestCluster } from '../../../testing/test-cluster.ts';
import { pod } from '../../../testing/workloads.ts';

const DATA = { namespace: 'default', name: 'data' };

function claim(spec: Partial<PersistentVolumeClaim['spec']> = {}): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { ...DATA },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '5Gi' } },
      storageClassName: '',
      ...spec,
    },
  };
}

function volume(name: string, storage: string, spec: Partial<PersistentVolume['spec']> = {}): PersistentVolume {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      hostPath: { path: '/data' },
      ...spec,
    },
  };
}

function storageClass(volumeBindingMode: string, provisioner = 'csi.example'): StorageClass {
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'fast', annotations },
    provisioner,
    volumeBindingMode,
  };
}

describe('a claim', () => {
  it('is bound to the smallest matching volume, and releases it when deleted', async () => {
    await using cluster = await TestCluster.start();
    const { client } = cluster;
    for (const [name, size] of [
      ['small', '1Gi'],
      ['large', '50Gi'],
      ['fitting', '10Gi'],
    ] as const) {
      await client.resource(PersistentVolumes).create(volume(name, size));
    }
    await client.resource(PersistentVolumeClaims).create(claim());
    await eventuallyObject(client.resource(PersistentVolumeClaims), DATA, ({ spec, status }) => {
      expect(spec.volumeName).toBe('fitting');
      expect(status).toMatchObject({ phase: 'Bound', capacity: { storage: '10Gi' } });
      return true;
    });
    await client
      .resource(Pods)
      .create(pod('user', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] }));
    await eventuallyObject(
      client.resource(Pods),
      { namespace: 'default', name: 'user' },
      ({ status }) => status?.phase === 'Running',
    );
    await client.resource(PersistentVolumeClaims).delete('data', { namespace: 'default' });
    expect(
      (await client.resource(PersistentVolumeClaims).get('data', { namespace: 'default' })).metadata.deletionTimestamp,
    ).toBeDefined();
    await client.resource(Pods).delete('user', { namespace: 'default' });
    await eventuallyDeleted(client.resource(PersistentVolumeClaims), DATA);
    await eventuallyObject(
      client.resource(PersistentVolumes),
      { name: 'fitting' },
      ({ status }) => status?.phase === 'Released',
    );
  });

  it('releases a volume that was deleted before the claim', async () => {
    await using cluster = await TestCluster.start({ nodes: [] });
    const { client } = cluster;
    const volumes = client.resource(PersistentVolumes);
    await volumes.create(volume('kept', '5Gi'));
    await client.resource(PersistentVolumeClaims).create(claim());
    await eventuallyObject(client.resource(PersistentVolumeClaims), DATA, ({ status }) => status?.phase === 'Bound');

    await volumes.delete('kept');
    expect((await volumes.get('kept')).metadata.deletionTimestamp).toBeDefined();
    await client.resource(PersistentVolumeClaims).delete('data', { namespace: 'default' });

    await eventuallyDeleted(volumes, { name: 'kept' });
  });

  it('requests a volume from the provisioner of the default class', async () => {
    await using cluster = await TestCluster.start({ nodes: [] });
    const { client } = cluster;
    await client.resource(StorageClasses).create(storageClass('Immediate'));
    const { storageClassName: _, ...spec } = claim().spec;
    await client.resource(PersistentVolumeClaims).create({ ...claim(), spec });
    const boundClaim = await eventuallyObject(
      client.resource(PersistentVolumeClaims),
      DATA,
      ({ metadata }) => metadata.annotations?.['volume.kubernetes.io/storage-provisioner'] === 'csi.example',
    );
    expect(boundClaim.spec.storageClassName).toBe('fast');
    // Imitates an external provisioner.
    const claimRef = { namespace: 'default', name: 'data', uid: boundClaim.metadata.uid ?? '' };
    await client.resource(PersistentVolumes).create(volume('made', '5Gi', { claimRef, storageClassName: 'fast' }));
    await eventuallyObject(client.resource(PersistentVolumeClaims), DATA, ({ status }) => status?.phase === 'Bound');
  });

  it('is bound on its pod’s node with WaitForFirstConsumer', async () => {
    await using cluster = await TestCluster.start();
    const { client } = cluster;
    await client.resource(StorageClasses).create(storageClass('WaitForFirstConsumer', 'kubernetes.io/no-provisioner'));
    const onNodeB = {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['node-b'] }] },
      ],
    };
    await client
      .resource(PersistentVolumes)
      .create(volume('local-b', '5Gi', { storageClassName: 'fast', nodeAffinity: { required: onNodeB } }));
    await client.resource(PersistentVolumeClaims).create(claim({ storageClassName: 'fast' }));
    await client
      .resource(Pods)
      .create(pod('user', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] }));
    const running = await eventuallyObject(
      client.resource(Pods),
      { namespace: 'default', name: 'user' },
      ({ status }) => status?.phase === 'Running',
    );
    expect(running.spec.nodeName).toBe('node-b');
    expect((await client.resource(PersistentVolumeClaims).get('data', { namespace: 'default' })).status?.phase).toBe(
      'Bound',
    );
  });
});
