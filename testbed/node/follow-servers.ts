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
import { Disks } from './follow-disks.ts';

/*
 * Acts as the hypervisor of a cloud without one: boots a host for each ACTIVE server, with the server's own user data, address and
 * image, and stops it when the server no longer exists. Running hosts and their disks are recognised by their server's ID.
 * Usage: follow-servers.ts TESTBED CLOUD: what boots hosts, and an administrator's entry of clouds.yaml
 */

const PERIOD_MS = 500;
const GONE = new Set(['SHUTOFF', 'DELETED', 'SOFT_DELETED', 'ERROR']);

const [, , testbedPath = '', cloudName = ''] = process.argv;
const ending = new AbortController();
process.once('SIGTERM', () => ending.abort());
process.once('SIGINT', () => ending.abort());

const cloud = openCloud(readCloudsYaml(), cloudName, { clock: systemClock, random: Math.random, log: silentLogger });
const client = cloud.client();
const servers = openStackFleetCloud(client);
const disks = new Disks(client, testbed);
const run = promisify(execFile);
/** State of the servers that have booted here: a rebuilt one boots again. */
const revisions = new Map<string, string>();

try {
  while (!ending.signal.aborted) {
    await follow().catch((error: unknown) => {
      if (!ending.signal.aborted) process.stderr.write(`${(error as Error).stack}\n`);
    });
    await delay(PERIOD_MS, undefined, { signal: ending.signal }).catch(() => undefined);
  }
} finally {
  await cloud.close();
}

async function follow(): Promise<void> {
  const hosts = await bootedHosts();
  const wanted = new Map<string, ListedServer>();
  for await (const server of servers.list(ending.signal)) {
    if (server.status === 'ACTIVE' || (hosts.has(server.id) && !GONE.has(server.status))) wanted.set(server.id, server);
  }
  const isStale = (id: string) => {
    const server = wanted.get(id);
    return server === undefined || (revisions.get(id) ?? revisionOf(server)) !== revisionOf(server);
  };
  const unwanted = [...hosts].filter(([id]) => isStale(id)).map(([, name]) => name);
  const missing = [...wanted.values()].filter(({ id }) => !hosts.has(id) || isStale(id));
  if (unwanted.length > 0) await testbed('end', ...unwanted);
  await Promise.all(missing.map(boot));
  await disks.follow(await bootedHosts(), ending.signal);
  process.stdout.write('looked at the servers\n');
}

/** Server id → name of its host. */
async function bootedHosts(): Promise<ReadonlyMap<string, string>> {
  const lines = (await testbed('servers')).split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => line.split(' ') as [string, string]));
}

async function boot(listed: ListedServer): Promise<void> {
  const [described, interfaces] = await Promise.all([servers.describe(listed.id, ending.signal), portsOf(listed.id)]);
  const [port] = interfaces;
  if (described?.userData === undefined || port === undefined) return;
  const { vcpus, ramMib, diskGib } = described.server.flavor;
  revisions.set(listed.id, revisionOf(listed));
  const folder = mkdtempSync(join(tmpdir(), 'fairway-user-data-'));
  try {
    const userData = join(folder, 'user-data');
    writeFileSync(userData, Buffer.from(described.userData, 'base64'), { mode: 0o600 });
    const image = listed.imageId === undefined ? undefined : await imageName(listed.imageId);
    process.stdout.write(`${listed.name} (${listed.id}) boots ${image ?? 'its volume'} at ${port.address}\n`);
    const options = {
      server: listed.id,
      zone: described.server.zone ?? 'nova',
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
  /** With its prefix. */
  readonly address: string;
  readonly gateway: string;
}

async function portsOf(serverId: string): Promise<Interface[]> {
  const found: Interface[] = [];
  for await (const port of client.network.ports.list({ device_id: serverId }, { signal: ending.signal })) {
    for (const { subnet_id: subnetId, ip_address: address } of port.fixed_ips) {
      const { cidr, gateway_ip: gateway } = await client.network.subnets.get(subnetId, { signal: ending.signal });
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
