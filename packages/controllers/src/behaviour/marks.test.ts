import { X509Certificate } from 'node:crypto';
import { clusters } from '@fairway/api/kinds/cluster';
import { describe, expect, test } from 'vitest';
import { resourceCounts } from '../testing/cloud-contents.ts';
import { copyTags, createForeignClient } from '../testing/foreign-client.ts';
import { isReady, TestFairway } from '../testing/test-fairway.ts';

describe("another project's resources with a cluster's tags, shared with the cluster's project", () => {
  test('neither prevent the creation of the cluster’s own network nor block its deletion', async () => {
    await using fairway = await TestFairway.start();
    const projectID = await fairway.process.project.client.session.projectId();
    await fairway.stopProcess();
    const { metadata } = await fairway.createCluster();
    const project = { cloud: fairway.cloud, projectID };
    await createForeignClient(fairway, (foreignClient) => copyTags(project, foreignClient, metadata.uid ?? ''));
    const before = resourceCounts(fairway.cloud);
    await fairway.startProcess();

    await fairway.createPool({ replicas: 1 });
    const cluster = await fairway.clusterReady();
    const own = await fairway.process.project.client.network.networks.get(cluster.status?.network?.networkID ?? '');
    await fairway.delete(clusters, 'demo');
    await fairway.until(clusters, (left) => left.length === 0);

    expect(own.project_id).toBe(projectID);
    expect(resourceCounts(fairway.cloud)).toEqual(before);
  });

  test('leave a working cluster unchanged', async () => {
    await using fairway = await TestFairway.start();
    const { metadata, status } = await fairway.readyCluster({ replicas: 1 });
    const projectID = await fairway.process.project.client.session.projectId();
    const project = { cloud: fairway.cloud, projectID };
    await createForeignClient(fairway, (foreignClient) => copyTags(project, foreignClient, metadata.uid ?? ''));

    await fairway.stopProcess();
    await fairway.startProcess();
    await fairway.patch(clusters, 'demo', { spec: { apiServer: { allowedCIDRs: ['192.0.2.0/24'] } } });
    const [after] = await fairway.until(
      clusters,
      ([found]) => isReady(found) && found?.status?.observedGeneration === 2,
    );

    expect(after?.status?.network).toEqual(status?.network);
  });
});

test('the cluster’s tag is not derived from the CA that a user trusts', async () => {
  await using fairway = await TestFairway.start();
  await fairway.createCluster();
  const { metadata, status } = await fairway.clusterReady();

  const authority = new X509Certificate(status?.caCertificate ?? '');

  expect(authority.subject).toMatch(/^O=\w+\nCN=kubernetes$/);
  expect(authority.raw.toString('latin1')).not.toContain(metadata.uid);
});
