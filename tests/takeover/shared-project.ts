import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { readCloudsYaml } from '@fairway/service/up/clouds';
import { vi } from 'vitest';
import type { JobCloud } from '../main-job/job-clouds.ts';
import { type NodeNetwork, ServerProject } from '../provided-cluster/server-project.ts';

const POLL_OPTIONS = { timeout: 400_000, interval: 1_000 };

/** A project with a network and servers, for the load balancers of two clusters. */
export class SharedProject {
  readonly member: OpenStackClient;
  /** The text of a cloud.conf for the project. */
  readonly conf: string;
  readonly #project: ServerProject;

  private constructor(project: ServerProject, conf: string) {
    this.#project = project;
    this.member = project.member;
    this.conf = conf;
  }

  static async open(cloud: JobCloud, provider: string, servers: readonly string[]): Promise<SharedProject> {
    const project = new ServerProject(cloud);
    const network = await project.makeNetwork('nodes', '10.78.0.0/24');
    for (const name of servers) await project.boot(name, network);
    return new SharedProject(project, cloudConfOf(cloud, network, provider));
  }

  /** All load balancers with their listeners and pools, once no change is in progress. */
  async loadBalancerTrees() {
    const { loadBalancers, listeners, pools } = this.member.loadBalancing;
    const list = () => Array.fromAsync(loadBalancers.list());
    const isSettled = async () => (await list()).every(({ provisioning_status: state }) => state === 'ACTIVE');
    await vi.waitUntil(isSettled, POLL_OPTIONS);
    const found = await list();
    return Promise.all(
      found.map(async ({ id, name, tags }) => ({
        id,
        name: name ?? '',
        tags: tags.toSorted(),
        listeners: (await Array.fromAsync(listeners.list({ loadbalancer_id: id })))
          .map((each) => `${each.protocol_port} ${each.id}`)
          .toSorted(),
        pools: (await Array.fromAsync(pools.list({ loadbalancer_id: id }))).map((each) => each.id).toSorted(),
      })),
    );
  }

  async floatingIps() {
    const all = await Array.fromAsync(this.member.network.floatingIps.list());
    return all.map(({ floating_ip_address: address, id, description }) => ({ address, id, description }));
  }

  /** Deletes upstream's resources that would otherwise be left behind. */
  async clear(): Promise<void> {
    const { loadBalancers } = this.member.loadBalancing;
    for (const { id } of await this.loadBalancerTrees()) await loadBalancers.deleteCascade(id);
    await vi.waitUntil(async () => (await Array.fromAsync(loadBalancers.list())).length === 0, POLL_OPTIONS);
    for (const { id } of await this.floatingIps()) await this.member.network.floatingIps.delete(id);
  }

  async close(): Promise<void> {
    await this.clear();
    await this.#project.close();
  }
}

function cloudConfOf({ cloudsYaml, member }: JobCloud, { subnet, external }: NodeNetwork, provider: string): string {
  const { authUrl, credential, region } = readCloudsYaml(cloudsYaml).get(member);
  if (credential.kind !== 'password' || credential.scope?.kind !== 'project') throw new Error('it has no password');
  const { user, password, scope } = credential;
  const domainOf = (named: typeof user, prefix: string) =>
    'domain' in named ? Object.entries(named.domain).map(([key, value]) => `${prefix}-domain-${key}=${value}`) : [];
  return [
    '[Global]',
    `auth-url=${authUrl}`,
    `username=${'name' in user ? user.name : ''}`,
    `password=${password}`,
    `tenant-name=${'name' in scope.project ? scope.project.name : ''}`,
    ...domainOf(user, 'user'),
    ...domainOf(scope.project, 'tenant'),
    `region=${region}`,
    '[LoadBalancer]',
    `subnet-id=${subnet}`,
    `floating-network-id=${external}`,
    `lb-provider=${provider}`,
    '',
  ].join('\n');
}
