import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import type { Cloud } from '@fairway/openstack/cloud';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import { vi } from 'vitest';
import type { JobCloud } from '../main-job/job-clouds.ts';

const POLL_OPTIONS = { timeout: 400_000, interval: 1_000 };

/** The network of a cluster's nodes; its IPv4 subnet is routed to the external network. */
export interface NodeNetwork {
  readonly id: string;
  readonly subnet: string;
  /** The network on the external side of the router. */
  readonly external: string;
}

/** A project with a network and servers created manually, for a cluster that Fairway did not create. */
export class ServerProject {
  readonly member: OpenStackClient;
  readonly #cloud: JobCloud;
  readonly #connection: Cloud;
  /** In the order in which the resources were created; run in reverse. */
  readonly #cleanups: (() => Promise<unknown>)[] = [];

  constructor(cloud: JobCloud) {
    const cloudOptions = { clock: systemClock, random: Math.random, log: silentLogger };
    this.#cloud = cloud;
    this.#connection = openCloud(readCloudsYaml(cloud.cloudsYaml), cloud.member, cloudOptions);
    this.member = this.#connection.client();
  }

  async makeNetwork(name: string, cidr: string, ipv6Cidr?: string): Promise<NodeNetwork> {
    const { networks, subnets, routers } = this.member.network;
    const [externalNetwork] = await Array.fromAsync(networks.list({ 'router:external': true }));
    const external = externalNetwork?.id ?? '';
    const { id } = await networks.create({ name });
    this.#cleanups.push(() => networks.delete(id));
    const subnet = (await subnets.create({ name, network_id: id, ip_version: 4, cidr })).id;
    if (ipv6Cidr) await subnets.create({ name: 'six', network_id: id, ip_version: 6, cidr: ipv6Cidr });
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
      await vi.waitUntil(async () => !(await isListed()), POLL_OPTIONS);
    });
  }

  /** Deletes everything that was created. */
  async close(): Promise<void> {
    for (const cleanup of this.#cleanups.reverse()) await cleanup();
    await this.#connection.close();
  }
}
