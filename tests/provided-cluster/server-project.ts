import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import type { Cloud } from '@fairway/openstack/cloud';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import { vi } from 'vitest';
import type { JobCloud } from '../main-job/job-clouds.ts';

const POLL = { timeout: 400_000, interval: 1_000 };

/** The network of a cluster's nodes: its IPv4 subnet has a route to the outside. */
export interface NodeNetwork {
  readonly id: string;
  readonly subnet: string;
  /** The network outside of the router. */
  readonly external: string;
}

/** A project with a network and servers created by hand, for a cluster that Fairway did not create. */
export class ServerProject {
  readonly member: OpenStackClient;
  readonly #cloud: JobCloud;
  readonly #connection: Cloud;
  /** In the order in which they are needed. */
  readonly #cleanups: (() => Promise<unknown>)[] = [];

  constructor(cloud: JobCloud) {
    const opening = { clock: systemClock, random: Math.random, log: silentLogger };
    this.#cloud = cloud;
    this.#connection = openCloud(readCloudsYaml(cloud.cloudsYaml), cloud.member, opening);
    this.member = this.#connection.client();
  }

  async makeNetwork(name: string, cidr: string, cidrOfIPv6?: string): Promise<NodeNetwork> {
    const { networks, subnets, routers } = this.member.network;
    const [outside] = await Array.fromAsync(networks.list({ 'router:external': true }));
    const external = outside?.id ?? '';
    const { id } = await networks.create({ name });
    this.#cleanups.push(() => networks.delete(id));
    const subnet = (await subnets.create({ name, network_id: id, ip_version: 4, cidr })).id;
    if (cidrOfIPv6) await subnets.create({ name: 'six', network_id: id, ip_version: 6, cidr: cidrOfIPv6 });
    const router = await routers.create({ name, external_gateway_info: { network_id: external } });
    this.#cleanups.push(() => routers.delete(router.id));
    await routers.addInterface(router.id, { subnet_id: subnet });
    this.#cleanups.push(() => routers.removeInterface(router.id, { subnet_id: subnet }));
    return { id, subnet, external };
  }

  async boot(name: string, { id: uuid }: NodeNetwork): Promise<void> {
    const { servers, flavors } = this.member.compute;
    const sizes = await Array.fromAsync(flavors.list());
    const images = await Array.fromAsync(this.member.images.list());
    const { id } = await servers.create({
      name,
      flavorRef: sizes.find((each) => each.name === this.#cloud.flavor)?.id ?? '',
      imageRef: images.find((each) => each.name === this.#cloud.image)?.id ?? '',
      networks: [{ uuid }],
    });
    this.#cleanups.push(async () => {
      await servers.delete(id);
      const isListed = async () => (await Array.fromAsync(servers.list())).some((each) => each.id === id);
      await vi.waitUntil(async () => !(await isListed()), POLL);
    });
  }

  /** Deletes everything that was created. */
  async close(): Promise<void> {
    for (const cleanup of this.#cleanups.reverse()) await cleanup();
    await this.#connection.close();
  }
}
