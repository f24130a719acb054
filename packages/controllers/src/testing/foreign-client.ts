import { Cloud as CloudConnection } from '@fairway/openstack/cloud';
import { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import type { Cloud } from '@fairway/simulator/cloud';
import { type NetworkRole, ownerDescription } from '@fairway/tenancy/cloud/ownership';
import { CloudTransport } from './cloud-transport.ts';
import type { TestFairway } from './test-fairway.ts';

/** A project in a cloud. */
interface ProjectOf {
  readonly cloud: Cloud;
  readonly projectID: string;
}

/** A member of another project in the same cloud, or an administrator, who may share resources. */
export async function createForeignClient(
  fairway: TestFairway,
  use: (foreignClient: OpenStackClient) => Promise<void>,
  entry: 'simulator-other' | 'simulator-admin' = 'simulator-other',
): Promise<void> {
  const yaml = fairway.cloud.cloudsYaml();
  const config = new CloudsYaml({
    env: { OS_CLIENT_CONFIG_FILE: '/clouds.yaml' },
    cwd: '/',
    home: '/',
    readFile: (path) => (path === '/clouds.yaml' ? yaml : undefined),
  }).get(entry);
  const connection = new CloudConnection({
    config,
    clock: fairway.clock,
    random: Math.random,
    readFile: () => '',
    transport: new CloudTransport(fairway.cloud),
  });
  try {
    await use(connection.client());
  } finally {
    await connection.close();
  }
}

/** Creates resources in another project with copies of all of a cluster's tags, older than the cluster's own. */
export async function copyTags(project: ProjectOf, foreignClient: OpenStackClient, clusterUid: string): Promise<void> {
  const { network } = foreignClient;
  const mark = (role: NetworkRole) => ({ description: ownerDescription(clusterUid, role) });
  const { id } = await network.networks.create({ name: 'theirs', ...mark('network') });
  await network.subnets.create({ network_id: id, ip_version: 4, cidr: '10.66.0.0/24', ...mark('subnet') });
  const group = await network.securityGroups.create({ name: 'theirs', ...mark('node-security-group') });
  await share(project, foreignClient, 'network', id);
  await share(project, foreignClient, 'security_group', group.id);
}

/** Lets a project see and use the resource. */
export async function share(
  { cloud, projectID }: ProjectOf,
  { session }: OpenStackClient,
  object_type: string,
  object_id: string,
): Promise<void> {
  const policy = { object_type, object_id, action: 'access_as_shared', target_tenant: projectID };
  const request = {
    method: 'POST',
    url: `${await session.endpoint('network')}/rbac-policies`,
    headers: { 'content-type': 'application/json', 'x-auth-token': (await session.token()).id },
    body: JSON.stringify({ rbac_policy: policy }),
  } as const;
  const response = await new CloudTransport(cloud).send(request, new AbortController().signal);
  if (response.status !== 201) throw new Error(`sharing ${object_type} got ${response.status}: ${response.body}`);
}
