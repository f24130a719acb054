import { X509Certificate } from 'node:crypto';
import { clusters } from '@fairway/api/kinds/cluster';
import { Cloud as CloudConnection } from '@fairway/openstack/cloud';
import { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { type NetworkRole, ownerDescription } from '@fairway/tenancy/cloud/ownership';
import { describe, expect, test } from 'vitest';
import { holdings } from '../testing/cloud-contents.ts';
import { isReady, TestFairway } from '../testing/test-fairway.ts';

/** A member of another project in the same cloud, who may share what is theirs. */
async function strangerIn(fairway: TestFairway, use: (stranger: OpenStackClient) => Promise<void>): Promise<void> {
  const yaml = fairway.cloud.cloudsYaml();
  const config = new CloudsYaml({
    env: { OS_CLIENT_CONFIG_FILE: '/clouds.yaml' },
    cwd: '/',
    home: '/',
    readFile: (path) => (path === '/clouds.yaml' ? yaml : undefined),
  }).get('simulator-other');
  const connection = new CloudConnection({ config, clock: fairway.clock, random: Math.random, readFile: () => '' });
  try {
    await use(connection.client());
  } finally {
    await connection.close();
  }
}

/** Puts copies of all of a cluster's marks before its project, on resources that are older than its own. */
async function copyMarks(projectID: string, stranger: OpenStackClient, clusterUid: string): Promise<void> {
  const { network } = stranger;
  const mark = (role: NetworkRole) => ({ description: ownerDescription(clusterUid, role) });
  const { id } = await network.networks.create({ name: 'theirs', ...mark('network') });
  await network.subnets.create({ network_id: id, ip_version: 4, cidr: '10.66.0.0/24', ...mark('subnet') });
  const group = await network.securityGroups.create({ name: 'theirs', ...mark('node-security-group') });
  await share(projectID, stranger, 'network', id);
  await share(projectID, stranger, 'security_group', group.id);
}

async function share(
  target_tenant: string,
  stranger: OpenStackClient,
  object_type: string,
  object_id: string,
): Promise<void> {
  const policy = { object_type, object_id, action: 'access_as_shared', target_tenant };
  const { session } = stranger;
  const answer = await fetch(`${await session.endpoint('network')}/rbac-policies`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-auth-token': (await session.token()).id },
    body: JSON.stringify({ rbac_policy: policy }),
  });
  if (answer.status !== 201) throw new Error(`sharing ${object_type} got ${answer.status}: ${await answer.text()}`);
}

describe("another project's resources with a cluster's marks, shared with the cluster's project", {
  timeout: 30_000,
}, () => {
  test("don't keep the cluster from its own network, nor from going", async () => {
    await using fairway = await TestFairway.start();
    const projectID = await fairway.process.project.client.session.projectId();
    await fairway.stopProcess();
    const { metadata } = await fairway.createCluster();
    await strangerIn(fairway, (stranger) => copyMarks(projectID, stranger, metadata.uid ?? ''));
    const before = holdings(fairway.cloud);
    await fairway.startProcess();

    await fairway.createPool({ replicas: 1 });
    const cluster = await fairway.clusterReady();
    const own = await fairway.process.project.client.network.networks.get(cluster.status?.network?.networkID ?? '');
    await fairway.delete(clusters, 'demo');
    await fairway.until(clusters, (left) => left.length === 0);

    expect(own.project_id).toBe(projectID);
    expect(holdings(fairway.cloud)).toEqual(before);
  });

  test('leave a cluster that works as it is', async () => {
    await using fairway = await TestFairway.start();
    const { metadata, status } = await fairway.readyCluster({ replicas: 1 });
    const projectID = await fairway.process.project.client.session.projectId();
    await strangerIn(fairway, (stranger) => copyMarks(projectID, stranger, metadata.uid ?? ''));

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

test('the authority that a user trusts does not say what the cluster is marked with', { timeout: 30_000 }, async () => {
  await using fairway = await TestFairway.start();
  await fairway.createCluster();
  const { metadata, status } = await fairway.clusterReady();

  const authority = new X509Certificate(status?.caCertificate ?? '');

  expect(authority.subject).toMatch(/^O=\w+\nCN=kubernetes$/);
  expect(authority.raw.toString('latin1')).not.toContain(metadata.uid);
});
