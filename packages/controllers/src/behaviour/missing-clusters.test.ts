import { FINALIZER, PAUSED_ANNOTATION, SYSTEM_NAMESPACE } from '@fairway/api/group';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { eventually } from '@fairway/kube/testing/eventually';
import { ownerDescription } from '@fairway/tenancy/cloud/ownership';
import { describe, expect, test } from 'vitest';
import { resourceCounts } from '../testing/cloud-contents.ts';
import { caSecretOf, forceDelete } from '../testing/force-delete.ts';
import { TEAM, TestFairway } from '../testing/test-fairway.ts';

const OPTIONS = { missingGraceMs: 60_000 };

async function untilSwept(fairway: TestFairway, cluster: Cluster): Promise<void> {
  const { client, selection } = caSecretOf(fairway, cluster);
  await eventually(client, selection, (left) => left.length === 0);
}

describe('resources of a Cluster that was deleted without Fairway', () => {
  test('are deleted after the grace period, but nothing else is', async () => {
    await using fairway = await TestFairway.start(OPTIONS);
    await fairway.createCluster({ network: { nodesCIDR: '10.99.0.0/24' } }, 'neighbour');
    const neighbour = await fairway.clusterReady('neighbour');
    const { network } = fairway.process.project.client;
    const foreign = ownerDescription('123e4567-e89b-42d3-a456-426614174000', 'network');
    await network.networks.create({ name: "another Fairway's", description: foreign });
    const before = resourceCounts(fairway.cloud);
    await fairway.createCluster();
    const cluster = await fairway.clusterReady();
    const beganMs = fairway.clock.now();

    await forceDelete(fairway, cluster);
    await untilSwept(fairway, cluster);

    expect(fairway.clock.now() - beganMs).toBeGreaterThanOrEqual(OPTIONS.missingGraceMs);
    expect(resourceCounts(fairway.cloud)).toEqual(before);
    expect(await fairway.runtime.list()).toEqual([neighbour.metadata.uid]);
  });

  test('are found by a Fairway process that was down when the Cluster was deleted', async () => {
    await using fairway = await TestFairway.start(OPTIONS);
    const before = resourceCounts(fairway.cloud);
    await fairway.createCluster();
    const cluster = await fairway.clusterReady();
    await fairway.stopProcess();
    await fairway.patch(clusters, 'demo', { metadata: { finalizers: null } });
    await fairway.delete(clusters, 'demo');

    await fairway.startProcess();
    await untilSwept(fairway, cluster);

    expect(resourceCounts(fairway.cloud)).toEqual(before);
    expect(await fairway.runtime.list()).toEqual([]);
  });

  test.each([
    {
      reason: 'its Secret is paused',
      fieldManager: 'kubectl',
      annotations: { [PAUSED_ANNOTATION]: 'ask me' },
    },
    { reason: 'its Secret comes from a backup', fieldManager: 'fairway-restore', annotations: { note: 'restored' } },
  ])('are kept if $reason', async ({ fieldManager, annotations }) => {
    await using fairway = await TestFairway.start({ missingGraceMs: 1_000 });
    await fairway.createCluster();
    const cluster = await fairway.clusterReady();
    const { client, selection } = caSecretOf(fairway, cluster);
    const [secret] = (await client.list(selection)).items;
    const value = { metadata: { annotations } };
    await client.patch(
      secret?.metadata.name ?? '',
      { type: 'merge', value },
      { namespace: SYSTEM_NAMESPACE, fieldManager },
    );
    const during = resourceCounts(fairway.cloud);

    await forceDelete(fairway, cluster);
    await fairway.createCluster({ network: { nodesCIDR: '10.99.0.0/24' } }, 'later');
    const later = await fairway.clusterReady('later');
    await forceDelete(fairway, later);
    await untilSwept(fairway, later);

    expect(resourceCounts(fairway.cloud)).toEqual(during);
    expect(await fairway.runtime.list()).toEqual([cluster.metadata.uid]);
    expect(later.metadata.namespace).toBe(TEAM);
  });

  test('keep their namespace’s credentials in place until they are deleted', async () => {
    await using fairway = await TestFairway.start({ missingGraceMs: 10_000 });
    await fairway.create(cloudCredentials, {
      metadata: { name: 'own', namespace: TEAM },
      spec: { cloud: 'simulator', secretRef: { name: 'own' }, reclaimPolicy: 'Retain' },
    });
    await fairway.until(cloudCredentials, ([found]) => found?.metadata.finalizers?.includes(FINALIZER) === true);
    await fairway.createCluster();
    const cluster = await fairway.clusterReady();
    const { client, selection } = caSecretOf(fairway, cluster);
    await forceDelete(fairway, cluster);

    await fairway.delete(cloudCredentials, 'own');
    await fairway.until(cloudCredentials, (left) => left.length === 0);

    expect((await client.list(selection)).items).toEqual([]);
  });
});
