import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import type { Server } from '@fairway/openstack/types/server';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import { upstreamProgram } from '../upstream-cloud-provider/binaries.ts';
import { DriverProcess } from './driver-process.ts';
import { type NodePlugin, serveNodePlugin } from './node-plugin.ts';
import { runSanity, type Spec } from './sanity-run.ts';

const POLL_MS = 300;
const TIMEOUT_MS = 300_000;

/**
 * A cloud on which a driver can be tested: an entry of clouds.yaml, and the image and flavor of its servers.
 */
export interface SanityCloud {
  readonly cloudsYaml: string;
  readonly member: string;
  readonly image: string;
  readonly flavor: string;
}

/** A server that stands in for a node, and sockets for a driver and its node service. */
export class SanityPlace {
  readonly member: OpenStackClient;
  readonly server: Server;
  readonly #cloud: SanityCloud;
  readonly #folder: string;
  readonly #node: NodePlugin;
  readonly #disconnect: () => Promise<void>;

  private constructor(
    cloud: SanityCloud,
    parts: {
      readonly member: OpenStackClient;
      readonly server: Server;
      readonly folder: string;
      readonly node: NodePlugin;
      readonly disconnect: () => Promise<void>;
    },
  ) {
    this.#cloud = cloud;
    this.member = parts.member;
    this.server = parts.server;
    this.#folder = parts.folder;
    this.#node = parts.node;
    this.#disconnect = parts.disconnect;
  }

  static async open(cloud: SanityCloud): Promise<SanityPlace> {
    const cloudOptions = { clock: systemClock, random: Math.random, log: silentLogger };
    const connection = openCloud(readCloudsYaml(cloud.cloudsYaml), cloud.member, cloudOptions);
    const member = connection.client();
    const folder = await mkdtemp(join(tmpdir(), 'fairway-csi-'));
    const server = await makeServer(member, cloud);
    const zone = server['OS-EXT-AZ:availability_zone'] ?? '';
    const node = await serveNodePlugin(join(folder, 'node.sock'), { serverID: server.id, zone });
    return new SanityPlace(cloud, { member, server, folder, node, disconnect: () => connection.close() });
  }

  /** The driver's socket. */
  get socket(): string {
    return join(this.#folder, 'csi.sock');
  }

  fairway(): Promise<DriverProcess> {
    return DriverProcess.fairway(this.#options());
  }

  upstream(program: string): Promise<DriverProcess> {
    return DriverProcess.upstream(program, this.#options());
  }

  /** Runs the specs against the listening driver. */
  async run(): Promise<readonly Spec[]> {
    return runSanity({
      program: upstreamProgram('csi-sanity') ?? '',
      folder: this.#folder,
      controllerSocket: this.socket,
      nodeSocket: join(this.#folder, 'node.sock'),
    });
  }

  async close(): Promise<void> {
    this.#node.close();
    const { servers } = this.member.compute;
    await servers.delete(this.server.id);
    await waitUntil(async () => (await Array.fromAsync(servers.list())).every(({ id }) => id !== this.server.id));
    await this.#disconnect();
    await rm(this.#folder, { recursive: true });
  }

  #options() {
    const { cloudsYaml, member } = this.#cloud;
    return { folder: this.#folder, socket: this.socket, cloudsYaml, cloud: member };
  }
}

async function makeServer({ compute, images }: OpenStackClient, { flavor, image }: SanityCloud): Promise<Server> {
  const [flavors, bootable] = await Promise.all([
    Array.fromAsync(compute.flavors.list()),
    Array.fromAsync(images.list()),
  ]);
  const { id } = await compute.servers.create({
    name: 'csi-node',
    flavorRef: flavors.find(({ name }) => name === flavor)?.id ?? '',
    imageRef: bootable.find(({ name }) => name === image)?.id ?? '',
    networks: 'none',
  });
  await waitUntil(async () => (await compute.servers.get(id)).status === 'ACTIVE');
  return compute.servers.get(id);
}

async function waitUntil(predicate: () => Promise<boolean>): Promise<void> {
  const endMs = Date.now() + TIMEOUT_MS;
  while (!(await predicate())) {
    if (Date.now() > endMs) throw new Error("the node's server was not created or deleted in time");
    await sleep(POLL_MS);
  }
}
