import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '@fairway/base/clock';
import { type Cloud, createCloud } from '@fairway/simulator/cloud';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);

/** The distribution's client, which must not pick up another Python on PATH. */
const OPENSTACK = '/usr/bin/openstack';

function isInstalled(): boolean {
  try {
    accessSync(OPENSTACK, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The client's plugins, which are separate packages. */
const PLUGINS = '/usr/lib/python3/dist-packages';
const PLUGIN = `${PLUGINS}/octaviaclient`;
const SECRETS_PLUGIN = `${PLUGINS}/barbicanclient`;
const SHARES_PLUGIN = `${PLUGINS}/manilaclient`;

describe.skipIf(!isInstalled())(`the openstack client (skipped without ${OPENSTACK})`, () => {
  let cloud: Cloud;
  let folder: string;
  beforeAll(async () => {
    cloud = createCloud({ clock: systemClock, random: Math.random });
    await cloud.listen({ host: '127.0.0.1', port: 0 });
    folder = await mkdtemp(join(tmpdir(), 'openstack-'));
    await writeFile(join(folder, 'clouds.yaml'), cloud.cloudsYaml());
  });
  afterAll(async () => {
    await cloud.close();
    await rm(folder, { recursive: true });
  });

  async function openstack(...words: readonly string[]): Promise<unknown> {
    const { stdout } = await run(OPENSTACK, ['--os-cloud', 'simulator', ...words], {
      env: { PATH: '/usr/bin:/bin', HOME: folder, OS_CLIENT_CONFIG_FILE: join(folder, 'clouds.yaml') },
    });
    return words.includes('json') ? JSON.parse(stdout) : stdout;
  }

  const json = ['-f', 'json'] as const;

  it('creates a network and a server on it, lists them, and cleans up', async () => {
    const [token, flavors, images, zones, quota] = await Promise.all([
      openstack('token', 'issue', ...json),
      openstack('flavor', 'list', ...json),
      openstack('image', 'list', ...json),
      openstack('availability', 'zone', 'list', '--compute', ...json),
      openstack('quota', 'show', ...json),
      openstack('network', 'create', 'net'),
      openstack('security', 'group', 'create', 'web'),
      openstack('server', 'group', 'create', '--policy', 'anti-affinity', 'apart'),
    ]);
    const [, , group] = await Promise.all([
      openstack('subnet', 'create', '--network', 'net', '--subnet-range', '10.0.0.0/24', 'sub'),
      openstack('security', 'group', 'rule', 'create', '--protocol', 'tcp', '--dst-port', '443', 'web'),
      openstack('server', 'group', 'show', 'apart', ...json),
      openstack('router', 'create', '--external-gateway', 'public', 'r'),
    ]);
    const [, floatingIp] = await Promise.all([
      openstack('router', 'add', 'subnet', 'r', 'sub'),
      openstack('floating', 'ip', 'create', 'public', ...json),
    ]);
    const groupId = (group as { id: string }).id;
    const address = (floatingIp as { floating_ip_address: string }).floating_ip_address;
    await openstack(
      'server',
      'create',
      '--wait',
      '--flavor',
      'b3-8',
      '--image',
      'Ubuntu 22.04',
      '--network',
      'net',
      '--security-group',
      'web',
      '--hint',
      `group=${groupId}`,
      's1',
    );
    await openstack('server', 'add', 'floating', 'ip', 's1', address);
    const [servers, server] = await Promise.all([
      openstack('server', 'list', ...json),
      openstack('server', 'show', 's1', ...json),
    ]);
    await openstack('server', 'delete', '--wait', 's1');
    const remaining = await openstack('server', 'list', ...json);

    expect(token).toMatchObject({ id: expect.stringMatching(/^gAAAAA/) });
    expect(flavors).toEqual(expect.arrayContaining([expect.objectContaining({ Name: 'b3-8', RAM: 8192, VCPUs: 2 })]));
    expect(images).toEqual(
      expect.arrayContaining([expect.objectContaining({ Name: 'Ubuntu 22.04', Status: 'active' })]),
    );
    expect(zones).toEqual(
      ['nova-a', 'nova-b', 'nova-c'].map((name) => ({ 'Zone Name': name, 'Zone Status': 'available' })),
    );
    expect(quota).toMatchObject({ instances: 500, networks: 200, 'server-groups': 500 });
    expect(servers).toMatchObject([{ Name: 's1', Status: 'ACTIVE', Networks: { net: ['10.0.0.2', address] } }]);
    expect(server).toMatchObject({ status: 'ACTIVE', security_groups: [{ name: 'web' }] });
    expect(remaining).toEqual([]);
  });

  it.skipIf(!existsSync(PLUGIN))(`builds a load balancer (skipped without ${PLUGIN})`, async () => {
    const balance = (...words: readonly string[]) => openstack('loadbalancer', ...words);
    await openstack('network', 'create', 'front');
    await openstack('subnet', 'create', '--network', 'front', '--subnet-range', '10.1.0.0/24', 'front-sub');

    const created = await balance('create', '--name', 'lb', '--vip-subnet-id', 'front-sub', '--wait', ...json);
    const poolFlags = ['--protocol', 'TCP', '--lb-algorithm', 'ROUND_ROBIN'];
    await balance('pool', 'create', '--name', 'p', '--loadbalancer', 'lb', ...poolFlags, '--wait');
    const member = await balance(
      'member',
      'create',
      '--name',
      'm',
      '--address',
      '10.1.0.9',
      '--protocol-port',
      '80',
      '--wait',
      'p',
      ...json,
    );
    await balance('delete', '--cascade', '--wait', 'lb');

    expect(created).toMatchObject({ provisioning_status: 'ACTIVE', provider: 'amphora', vip_address: '10.1.0.2' });
    expect(member).toMatchObject({ name: 'm', provisioning_status: 'ACTIVE', operating_status: 'NO_MONITOR' });
  });

  it.skipIf(!existsSync(SECRETS_PLUGIN))(`stores secrets (skipped without ${SECRETS_PLUGIN})`, async () => {
    const secret = (...words: readonly string[]) => openstack('secret', ...words);
    const stored = (await secret('store', '--name', 'word', '--payload', 'open sesame', ...json)) as Readonly<
      Record<string, string>
    >;
    const ref = stored['Secret href'] ?? '';
    const [payload, listed, order] = await Promise.all([
      secret('get', '--payload', ref, ...json),
      secret('list', '--name', 'word', ...json),
      secret('order', 'create', 'key', '--name', 'key', '--algorithm', 'aes', '--bit-length', '256', ...json),
    ]);
    const container = (await secret(
      'container',
      'create',
      '--name',
      'c',
      '--secret',
      `word=${ref}`,
      ...json,
    )) as Readonly<Record<string, string>>;
    await openstack('acl', 'submit', '--user', 'somebody', '--no-project-access', ref);
    const [containerItems, created, rules] = await Promise.all([
      secret('container', 'get', container['Container href'] ?? '', ...json),
      secret('order', 'get', (order as Readonly<Record<string, string>>)['Order href'] ?? '', ...json),
      openstack('acl', 'get', ref, ...json),
    ]);
    await secret('delete', ref);

    expect(payload).toEqual({ Payload: 'open sesame' });
    expect(listed).toEqual([expect.objectContaining({ Name: 'word', 'Secret href': ref, Status: 'ACTIVE' })]);
    expect(containerItems).toMatchObject({ Name: 'c', Type: 'generic' });
    expect(created).toMatchObject({ Status: 'ACTIVE', Type: 'Key' });
    expect(rules).toEqual([expect.objectContaining({ 'Operation Type': 'read', 'Project Access': false })]);
    expect(await secret('list', '--name', 'word', ...json)).toEqual([]);
  });

  it.skipIf(!existsSync(SHARES_PLUGIN))(`creates shared file systems (skipped without ${SHARES_PLUGIN})`, async () => {
    const share = (...words: readonly string[]) => openstack('share', ...words);
    const created = await share('create', '--name', 'home', '--wait', 'NFS', '2', ...json);
    await share('access', 'create', '--wait', 'home', 'ip', '10.0.0.0/24');
    const [access, exports, types, snapshot] = await Promise.all([
      share('access', 'list', 'home', ...json),
      share('export', 'location', 'list', 'home', ...json),
      share('type', 'list', ...json),
      share('snapshot', 'create', '--name', 'before', '--wait', 'home', ...json),
    ]);
    await share('snapshot', 'delete', '--wait', 'before');
    await share('resize', '--wait', 'home', '3');
    const listed = await share('list', ...json);
    await share('delete', '--wait', 'home');

    expect(created).toMatchObject({ name: 'home', status: 'available', share_proto: 'NFS' });
    expect(access).toEqual([
      expect.objectContaining({ 'Access Type': 'ip', 'Access To': '10.0.0.0/24', State: 'active' }),
    ]);
    expect(exports).toContainEqual(expect.objectContaining({ Preferred: true }));
    expect(types).toEqual([expect.objectContaining({ Name: 'default', 'Is Default': true })]);
    expect(snapshot).toMatchObject({ name: 'before', status: 'available', size: 2 });
    expect(listed).toEqual([expect.objectContaining({ Name: 'home', Size: 3, Status: 'available' })]);
    expect(await share('list', ...json)).toEqual([]);
  });
});
