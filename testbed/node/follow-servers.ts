import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { type ListedServer, revisionOf } from '@fairway/hollow/node/hollow-node-fleet';
import { openStackFleetCloud } from '@fairway/hollow/node/openstack-fleet-cloud';
import { OpenStackError } from '@fairway/openstack/http/openstack-error';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import { DiskReconciler } from './follow-disks.ts';

/*
 * Acts as the hypervisor of a cloud that has none: boots a host for each ACTIVE server, with the server's own user
 * data, address and image, and stops the host when the server no longer exists. Running hosts and their disks are
 * recognized by the ID of their server. Usage: follow-servers.ts TESTBED CLOUD. TESTBED is the command that boots
 * hosts, CLOUD is an administrator's entry in clouds.yaml.
 */

const POLL_INTERVAL_MS = 500;
const STOPPED_STATES = new Set(['SHUTOFF', 'DELETED', 'SOFT_DELETED', 'ERROR']);

const [, , testbedPath = '', cloudName = ''] = process.argv;
const shutdown = new AbortController();
process.once('SIGTERM', () => shutdown.abort());
process.once('SIGINT', () => shutdown.abort());

const cloud = openCloud(readCloudsYaml(), cloudName, { clock: systemClock, random: Math.random, log: silentLogger });
const client = cloud.client();
const servers = openStackFleetCloud(client);
const disks = new DiskReconciler(client, testbed);
const run = promisify(execFile);
/** Revisions of the servers that have booted here: a rebuilt server boots again. */
const revisions = new Map<string, string>();

try {
  while (!shutdown.signal.aborted) {
    await follow().catch((error: unknown) => {
      if (!shutdown.signal.aborted) process.stderr.write(`${(error as Error).stack}\n`);
    });
    await delay(POLL_INTERVAL_MS, undefined, { signal: shutdown.signal }).catch(() => undefined);
  }
} finally {
  await cloud.close();
}

async function follow(): Promise<void> {
  const hosts = await bootedHosts();
  const desired = new Map<string, ListedServer>();
  for await (const server of servers.list(shutdown.signal)) {
    if (server.status === 'ACTIVE' || (hosts.has(server.id) && !STOPPED_STATES.has(server.status)))
      desired.set(server.id, server);
  }
  const isStale = (id: string) => {
    const server = desired.get(id);
    return server === undefined || (revisions.get(id) ?? revisionOf(server)) !== revisionOf(server);
  };
  const staleHosts = [...hosts].filter(([id]) => isStale(id)).map(([, name]) => name);
  const missing = [...desired.values()].filter(({ id }) => !hosts.has(id) || isStale(id));
  if (staleHosts.length > 0) await testbed('end', ...staleHosts);
  await Promise.all(missing.map(boot));
  await disks.follow(await bootedHosts(), shutdown.signal);
  process.stdout.write('looked at the servers\n');
}

/** Host name by server ID. */
async function bootedHosts(): Promise<ReadonlyMap<string, string>> {
  const lines = (await testbed('servers')).split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => line.split(' ') as [string, string]));
}

async function boot(listed: ListedServer): Promise<void> {
  const [description, interfaces] = await Promise.all([
    servers.describe(listed.id, shutdown.signal),
    portsOf(listed.id),
  ]);
  const [port] = interfaces;
  if (description?.userData === undefined || port === undefined) return;
  const { vcpus, ramMib, diskGib } = description.server.flavor;
  revisions.set(listed.id, revisionOf(listed));
  const folder = mkdtempSync(join(tmpdir(), 'fairway-user-data-'));
  try {
    const userData = join(folder, 'user-data');
    writeFileSync(userData, Buffer.from(description.userData, 'base64'), { mode: 0o600 });
    const image = listed.imageId === undefined ? undefined : await imageName(listed.imageId);
    process.stdout.write(`${listed.name} (${listed.id}) boots ${image ?? 'its volume'} at ${port.address}\n`);
    const options = {
      server: listed.id,
      zone: description.server.zone ?? 'nova',
      vcpus: String(vcpus),
      memory: String(ramMib),
      disk: String(diskGib),
      'user-data': userData,
      ...port,
      ...(image !== undefined && { image }),
    };
    const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    await testbed('boot', listed.name, ...flags);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Interface {
  readonly mac: string;
  /** Includes the prefix length. */
  readonly address: string;
  readonly gateway: string;
}

async function portsOf(serverId: string): Promise<Interface[]> {
  const found: Interface[] = [];
  for await (const port of client.network.ports.list({ device_id: serverId }, { signal: shutdown.signal })) {
    for (const { subnet_id: subnetId, ip_address: address } of port.fixed_ips) {
      const { cidr, gateway_ip: gateway } = await client.network.subnets.get(subnetId, { signal: shutdown.signal });
      if (gateway) found.push({ mac: port.mac_address, address: `${address}/${cidr.split('/')[1]}`, gateway });
    }
  }
  return found;
}

async function imageName(id: string): Promise<string | undefined> {
  try {
    return (await client.images.get(id)).name ?? undefined;
  } catch (error) {
    if (error instanceof OpenStackError && error.kind === 'notFound') return undefined;
    throw error;
  }
}

async function testbed(...args: readonly string[]): Promise<string> {
  return (await run(testbedPath, args, { maxBuffer: 2 ** 22 })).stdout;
}
