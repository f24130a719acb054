import { readFileSync } from 'node:fs';
import { systemClock } from '@fairway/base/clock';
import { Cloud } from '@fairway/openstack/cloud';
import type { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import { ignoreNotFound } from '@fairway/openstack/http/openstack-error';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import type { ServiceType } from '@fairway/openstack/services';
import type { Flavor } from '@fairway/openstack/types/compute';
import type { Image } from '@fairway/openstack/types/image';
import type { Network } from '@fairway/openstack/types/network';
import type { Server } from '@fairway/openstack/types/server';

/**
 * Entries in clouds.yaml: a member of a project, a member of another project, a reader of the first project, and an
 * administrator.
 */
export interface CloudEntries {
  readonly member: string;
  readonly other?: string | undefined;
  readonly reader?: string | undefined;
  readonly admin?: string | undefined;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: unknown;
}

export interface RawOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the member's token; the empty string sends none. */
  readonly token?: string;
}

const TIMEOUT_MS = 300_000;
const POLL_MS = 50;

/** IDs that no service assigns. */
export const NO_SUCH_ID = '11111111-1111-4111-8111-111111111111';

/** The cloud under test, through Fairway's client and through plain requests; cleans up after each test. */
export class ContractCloud {
  readonly cloud: Cloud;
  readonly member: OpenStackClient;
  readonly other: OpenStackClient | undefined;
  readonly reader: OpenStackClient | undefined;
  readonly admin: OpenStackClient | undefined;
  readonly #clouds: readonly Cloud[];
  readonly #cleanups: (() => Promise<unknown>)[] = [];
  readonly #prefix = `contract-${process.pid}-${Date.now().toString(36)}`;
  #names = 0;

  constructor(cloudsYaml: CloudsYaml, entries: CloudEntries) {
    const open = (entry: string): Cloud =>
      new Cloud({
        config: cloudsYaml.get(entry),
        clock: systemClock,
        random: Math.random,
        readFile: (path) => readFileSync(path, 'utf8'),
      });
    this.cloud = open(entries.member);
    const other = entries.other === undefined ? undefined : open(entries.other);
    const reader = entries.reader === undefined ? undefined : open(entries.reader);
    const admin = entries.admin === undefined ? undefined : open(entries.admin);
    this.member = this.cloud.client();
    this.other = other?.client();
    this.reader = reader?.client();
    this.admin = admin?.client();
    this.#clouds = [this.cloud, other, reader, admin].filter((cloud) => cloud !== undefined);
  }

  /** A name that is unique among tests. */
  name(): string {
    this.#names += 1;
    return `${this.#prefix}-${this.#names}`;
  }

  /** Runs after the test, last in first out. An object that no longer exists is not a failure. */
  defer(cleanup: () => Promise<unknown>): void {
    this.#cleanups.push(cleanup);
  }

  /** Polls until `probe` returns something other than undefined. */
  async waitUntil<T>(what: string, probe: () => Promise<T | undefined>): Promise<T> {
    const deadlineMs = Date.now() + TIMEOUT_MS;
    for (;;) {
      const result = await probe();
      if (result !== undefined) return result;
      if (Date.now() > deadlineMs) throw new Error(`${what}: not within ${TIMEOUT_MS} ms`);
      await systemClock.sleep(POLL_MS);
    }
  }

  /** A plain request, without retries. */
  async raw(service: ServiceType, method: string, path: string, options: RawOptions = {}): Promise<RawResponse> {
    const { token = (await this.member.session.token()).id, body, headers } = options;
    return this.fetch(`${await this.member.session.endpoint(service)}${path}`, method, {
      body,
      headers: {
        ...(token !== '' && { 'x-auth-token': token }),
        ...(service === 'compute' && { 'openstack-api-version': 'compute 2.93' }),
        ...headers,
      },
    });
  }

  async fetch(url: string, method: string, options: Omit<RawOptions, 'token'> = {}): Promise<RawResponse> {
    const { body, headers } = options;
    const response = await fetch(url, {
      method,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parse(text) };
  }

  async smallestFlavor(): Promise<Flavor> {
    const flavors = await Array.fromAsync(this.member.compute.flavors.list());
    const [smallest] = flavors.sort((a, b) => a.ram - b.ram || a.vcpus - b.vcpus);
    if (smallest === undefined) throw new Error('the cloud has no flavor');
    return smallest;
  }

  async anyImage(): Promise<Image> {
    for await (const image of this.member.images.list({ status: 'active' })) return image;
    throw new Error('the cloud has no image');
  }

  async externalNetwork(): Promise<Network> {
    for await (const network of this.member.network.networks.list({ 'router:external': true })) return network;
    throw new Error('the cloud has no external network');
  }

  /** A network with a subnet, deleted after the test. */
  async network(cidr = '10.123.0.0/24'): Promise<{ readonly id: string; readonly subnetId: string }> {
    const { networks, subnets } = this.member.network;
    const { id } = await networks.create({ name: this.name() });
    this.defer(() => networks.delete(id));
    const subnet = await subnets.create({ network_id: id, ip_version: 4, cidr, name: this.name() });
    return { id, subnetId: subnet.id };
  }

  /** Deletes a server after the test, and waits until it and its ports are deleted. */
  deferServer(id: string): void {
    this.defer(async () => {
      await ignoreNotFound(this.member.compute.servers.delete(id));
      await this.waitUntilDeleted(id);
    });
  }

  /** Waits for the 404; shortly before, Nova may show the server with status DELETED. */
  async waitUntilDeleted(serverId: string): Promise<void> {
    await this.waitUntil(`server ${serverId} is gone`, async () => {
      const server = await ignoreNotFound(this.member.compute.servers.get(serverId));
      return server === undefined ? true : undefined;
    });
  }

  /** Resolves with the server once it is neither being built nor changed. */
  async waitUntilSettled(id: string): Promise<Server> {
    return this.waitUntil(`server ${id} settles`, async () => {
      const server = await this.member.compute.servers.get(id);
      return server.status === 'BUILD' || server['OS-EXT-STS:task_state'] != null ? undefined : server;
    });
  }

  /** Quotas are small, so a test's resources are deleted before the next one begins. */
  async cleanUp(): Promise<void> {
    const failures: unknown[] = [];
    for (const cleanup of this.#cleanups.splice(0).reverse()) {
      try {
        await ignoreNotFound(cleanup());
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, "could not clean up the test's resources");
  }

  async close(): Promise<void> {
    for (const cloud of this.#clouds) await cloud.close();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
