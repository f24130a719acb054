import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import { vi } from 'vitest';
import type { JobCloud } from '../main-job/job-clouds.ts';

const POLL = { timeout: 400_000, interval: 1_000 };

/** A project with a network and servers, which two clusters have their load balancers in. */
export class SharedProject {
  readonly member: OpenStackClient;
  /** Text of a cloud.conf for it. */
  readonly conf: string;
  readonly #cleanups: (() => Promise<unknown>)[];

  private constructor(member: OpenStackClient, conf: string, cleanups: (() => Promise<unknown>)[]) {
    this.member = member;
    this.conf = conf;
    this.#cleanups = cleanups;
  }

  static async open(cloud: JobCloud, provider: string, servers: readonly string[]): Promise<SharedProject> {
    const opening = { clock: systemClock, random: Math.random, log: silentLogger };
    const connection = openCloud(readCloudsYaml(cloud.cloudsYaml), cloud.member, opening);
    const member = connection.client();
    const cleanups: (() => Promise<unknown>)[] = [() => connection.close()];
    const { networks, subnets, routers } = member.network;
    const [external] = await Array.fromAsync(networks.list({ 'router:external': true }));
    const network = await networks.create({ name: 'nodes' });
    cleanups.push(() => networks.delete(network.id));
    const range = { network_id: network.id, ip_version: 4, cidr: '10.78.0.0/24' } as const;
    const subnet = await subnets.create({ name: 'nodes', ...range });
    const router = await routers.create({ name: 'r', external_gateway_info: { network_id: external?.id ?? '' } });
    cleanups.push(() => routers.delete(router.id));
    await routers.addInterface(router.id, { subnet_id: subnet.id });
    cleanups.push(() => routers.removeInterface(router.id, { subnet_id: subnet.id }));
    const places = { subnet: subnet.id, external: external?.id ?? '', provider };
    const project = new SharedProject(member, confOf(cloud, places), cleanups);
    for (const name of servers) await project.#boot(cloud, name, network.id);
    return project;
  }

  async #boot({ flavor, image }: JobCloud, name: string, networkID: string): Promise<void> {
    const { servers, flavors } = this.member.compute;
    const sizes = await Array.fromAsync(flavors.list());
    const images = await Array.fromAsync(this.member.images.list());
    const { id } = await servers.create({
      name,
      flavorRef: sizes.find((each) => each.name === flavor)?.id ?? '',
      imageRef: images.find((each) => each.name === image)?.id ?? '',
      networks: [{ uuid: networkID }],
    });
    this.#cleanups.push(async () => {
      await servers.delete(id);
      const isListed = async () => (await Array.fromAsync(servers.list())).some((each) => each.id === id);
      await vi.waitUntil(async () => !(await isListed()), POLL);
    });
  }

  /** All load balancers with their listeners and pools, once nothing of them is being changed. */
  async trees() {
    const { loadBalancers, listeners, pools } = this.member.loadBalancing;
    const list = () => Array.fromAsync(loadBalancers.list());
    const isSettled = async () => (await list()).every(({ provisioning_status: state }) => state === 'ACTIVE');
    await vi.waitUntil(isSettled, POLL);
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

  /** Deletes what upstream has made that nothing else does. */
  async clear(): Promise<void> {
    const { loadBalancers } = this.member.loadBalancing;
    for (const { id } of await this.trees()) await loadBalancers.deleteCascade(id);
    await vi.waitUntil(async () => (await Array.fromAsync(loadBalancers.list())).length === 0, POLL);
    for (const { id } of await this.floatingIps()) await this.member.network.floatingIps.delete(id);
  }

  async close(): Promise<void> {
    await this.clear();
    for (const cleanup of this.#cleanups.reverse()) await cleanup();
  }
}

interface Places {
  readonly subnet: string;
  readonly external: string;
  readonly provider: string;
}

function confOf({ cloudsYaml, member }: JobCloud, { subnet, external, provider }: Places): string {
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
