import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listed, startTestCloud, type TestCloud } from '../../test-cloud.ts';
import { flavorId, LATEST, makeServer } from '../../test-resources.ts';

let test: TestCloud;
beforeAll(async () => {
  test = await startTestCloud();
});
afterAll(() => test.cloud.close());

describe('flavors', () => {
  it('include OVHcloud’s flavors', async () => {
    const response = await test.demo.call('GET', '/compute/v2.1/flavors/detail', undefined, LATEST);
    const flavors = new Map(listed(response, 'flavors').map(({ name, vcpus, ram }) => [name, [vcpus, ram]]));

    expect(flavors.get('b3-8')).toEqual([2, 8192]);
    expect(flavors.get('b3-64')).toEqual([16, 65536]);
    expect(flavors.get('r3-128')).toEqual([16, 131072]);
    expect(flavors.get('t1-45')).toEqual([8, 46080]);
  });

  it('have extra specs, and are shown by id', async () => {
    const path = `/compute/v2.1/flavors/${flavorId('t1-45')}`;
    const specs = await test.demo.call('GET', `${path}/os-extra_specs`);
    const missing = await test.demo.call('GET', '/compute/v2.1/flavors/nope');

    expect(specs.body['extra_specs']).toMatchObject({ 'pci_passthrough:alias': 'v100:1' });
    expect((await test.demo.call('GET', path)).body['flavor']).toMatchObject({ name: 't1-45' });
    expect(missing.body).toEqual({ itemNotFound: { code: 404, message: 'Flavor nope could not be found.' } });
  });
});

describe('server groups', () => {
  const GROUPS = '/compute/v2.1/os-server-groups';
  const create = (group: object, version: string) =>
    test.demo.call(
      'POST',
      GROUPS,
      { server_group: { name: 'g', ...group } },
      { 'OpenStack-API-Version': `compute ${version}` },
    );

  it.each<[string, object, number]>([
    ['2.1', { policies: ['anti-affinity'] }, 200],
    ['2.1', { policies: ['soft-affinity'] }, 400],
    ['2.15', { policies: ['soft-affinity'] }, 200],
    ['2.63', { policy: 'affinity' }, 400],
    ['2.64', { policy: 'anti-affinity', rules: { max_server_per_host: 3 } }, 200],
    ['2.64', { policy: 'affinity', rules: { max_server_per_host: 3 } }, 400],
    ['2.64', { policies: ['affinity'] }, 400],
    ['2.64', { policy: 'together' }, 400],
  ])('accept version %s with %j: %i', async (version, group, status) => {
    expect((await create(group, version)).status).toBe(status);
  });

  it('list their members, and remain after their members are deleted', async () => {
    const group = (await create({ policy: 'anti-affinity' }, '2.93')).body['server_group'];
    const id = group?.['id'] as unknown as string;
    const server = await makeServer(test.demo, {}, { 'os:scheduler_hints': { group: id } });
    const during = await test.demo.call('GET', `${GROUPS}/${id}`, undefined, LATEST);
    await test.demo.call('DELETE', `/compute/v2.1/servers/${server.id}`);
    await test.clock.advance(1);
    const after = await test.demo.call('GET', `${GROUPS}/${id}`, undefined, LATEST);
    const deleted = await test.demo.call('DELETE', `${GROUPS}/${id}`);

    expect(during.body['server_group']).toMatchObject({ members: [server.id], policy: 'anti-affinity', rules: {} });
    expect(after.body['server_group']).toMatchObject({ members: [] });
    expect(deleted.status).toBe(204);
    expect((await test.demo.call('GET', `${GROUPS}/${id}`)).status).toBe(404);
  });

  it('count against the quota', async () => {
    test.cloud.setQuota('demo', { server_groups: 0 });
    const response = await create({ policy: 'affinity' }, '2.93');

    expect(response.body).toEqual({ forbidden: { code: 403, message: 'Quota exceeded, too many server groups.' } });
  });
});

describe('key pairs', () => {
  const KEYS = '/compute/v2.1/os-keypairs';
  const PUBLIC_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f test';

  it('are imported and belong to a user', async () => {
    const keypair = { name: 'k', public_key: PUBLIC_KEY };
    const created = await test.demo.call('POST', KEYS, { keypair }, LATEST);
    const again = await test.demo.call('POST', KEYS, { keypair }, LATEST);
    const other = await test.reader.call('GET', `${KEYS}/k`);
    await makeServer(test.demo, { key_name: 'k' });

    expect(created.status).toBe(201);
    expect(created.body['keypair']?.['fingerprint']).toMatch(/^[0-9a-f]{2}(:[0-9a-f]{2}){15}$/);
    expect(again.body).toEqual({ conflictingRequest: { code: 409, message: "Key pair 'k' already exists." } });
    expect(other.status).toBe(404);
    expect((await test.demo.call('DELETE', `${KEYS}/k`, undefined, LATEST)).status).toBe(204);
  });

  it.each([
    ['nonsense', { name: 'bad', public_key: 'hello' }],
    ['missing a public key, from 2.92 on', { name: 'none' }],
  ])('are rejected when they are %s', async (_name, keypair) => {
    expect((await test.demo.call('POST', KEYS, { keypair }, LATEST)).status).toBe(400);
  });
});

describe('quotas and limits', () => {
  it('show limits and usage in the format of the microversion', async () => {
    const path = `/compute/v2.1/os-quota-sets/${test.demo.projectId}`;
    await test.admin.call('PUT', path, { quota_set: { cores: 77 } });
    const old = await test.demo.call('GET', path);
    const recent = await test.demo.call('GET', path, undefined, LATEST);
    const detail = await test.demo.call('GET', `${path}/detail`, undefined, LATEST);
    const limits = await test.demo.call('GET', '/compute/v2.1/limits', undefined, LATEST);

    expect(old.body['quota_set']).toMatchObject({ id: test.demo.projectId, cores: 77, floating_ips: -1 });
    expect(recent.body['quota_set']).not.toHaveProperty('floating_ips');
    expect(detail.body['quota_set']?.['cores']).toMatchObject({ limit: 77, reserved: 0 });
    expect(limits.body['limits']?.['absolute']).toMatchObject({ maxTotalCores: 77 });
    expect((await test.demo.call('PUT', path, { quota_set: { cores: 1 } })).status).toBe(403);
    expect((await test.other.call('GET', path)).status).toBe(403);
  });
});

describe('zones and hosts', () => {
  it('include three zones, with hosts for administrators', async () => {
    const zones = await test.demo.call('GET', '/compute/v2.1/os-availability-zone');
    const hypervisors = await test.admin.call('GET', '/compute/v2.1/os-hypervisors/detail');

    expect(listed(zones, 'availabilityZoneInfo').map(({ zoneName, zoneState }) => [zoneName, zoneState])).toEqual([
      ['nova-a', { available: true }],
      ['nova-b', { available: true }],
      ['nova-c', { available: true }],
    ]);
    expect(listed(hypervisors, 'hypervisors')).toHaveLength(60);
    expect((await test.demo.call('GET', '/compute/v2.1/os-availability-zone/detail')).status).toBe(403);
    expect((await test.demo.call('GET', '/compute/v2.1/os-hypervisors')).status).toBe(403);
  });
});
