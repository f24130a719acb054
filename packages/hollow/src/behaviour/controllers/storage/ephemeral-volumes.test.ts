import { Events, PersistentVolumeClaims, PersistentVolumes, Pods } from '@fairway/kube/kinds/resources';
import { eventually, eventuallyDeleted, eventuallyObject } from '@fairway/kube/testing/eventually';
import { describe, expect, it } from 'vitest';
import { TestCluster } from '../../../testing/test-cluster.ts';
import { pod } from '../../../testing/workloads.ts';

const SCRATCH = { namespace: 'default', name: 'user-scratch' };
const spec = {
  accessModes: ['ReadWriteOnce'],
  storageClassName: '',
  resources: { requests: { storage: '1Gi' } },
};
const ephemeral = { volumeClaimTemplate: { metadata: { labels: { app: 'user' } }, spec } };
const USER = pod('user', { volumes: [{ name: 'scratch', ephemeral }] });

describe('a generic ephemeral volume', () => {
  it('gets a claim owned by its pod, which is deleted with it', async () => {
    await using cluster = await TestCluster.start();
    const { client } = cluster;
    await client.resource(PersistentVolumes).create({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'small' },
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } },
    });

    await client.resource(Pods).create(USER);
    await eventuallyObject(
      client.resource(Pods),
      { namespace: 'default', name: 'user' },
      ({ status }) => status?.phase === 'Running',
    );
    const claim = await client.resource(PersistentVolumeClaims).get(SCRATCH.name, SCRATCH);
    await client.resource(Pods).delete('user', { namespace: 'default' });

    expect(claim.metadata).toMatchObject({
      labels: { app: 'user' },
      ownerReferences: [{ kind: 'Pod', name: 'user', controller: true }],
    });
    await eventuallyDeleted(client.resource(PersistentVolumeClaims), SCRATCH);
  });

  it('does not use a claim with a different owner, and reports that', async () => {
    await using cluster = await TestCluster.start({ nodes: [] });
    const { client } = cluster;
    await client.resource(PersistentVolumeClaims).create({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { ...SCRATCH },
      spec,
    });

    await client.resource(Pods).create(USER);

    await eventually(client.resource(Events), { namespace: 'default' }, (events) =>
      events.some(({ message = '' }) => message.includes('was not created for pod default/user (pod is not owner)')),
    );
    const claim = await client.resource(PersistentVolumeClaims).get(SCRATCH.name, SCRATCH);
    expect(claim.metadata.ownerReferences).toBeUndefined();
  });
});
