import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestCloud, type TestCloud } from '../../test-cloud.ts';
import { flavorId, imageId, LATEST, makeNetwork, makeServer, serverFields, showServer } from '../../test-resources.ts';

const MISSING_ID = '00000000-0000-4000-8000-000000000000';

let test: TestCloud;
beforeAll(async () => {
  test = await startTestCloud();
});
afterAll(() => test.cloud.close());

const create = (overrides: object, extra: object = {}, version = 'compute 2.93') =>
  test.demo.call(
    'POST',
    '/compute/v2.1/servers',
    { server: serverFields(overrides), ...extra },
    { 'OpenStack-API-Version': version },
  );

/** A pattern that matches exactly this text. */
function exactMessage(text: string): RegExp {
  return new RegExp(`^${text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}$`);
}

describe('server creation is rejected', () => {
  it.each<[string, object, number, string | RegExp]>([
    ['an unknown flavor', { flavorRef: 'nope' }, 400, 'Flavor nope could not be found.'],
    ['an unknown image', { imageRef: MISSING_ID }, 400, 'Can not find requested image'],
    ['an image that is not a UUID', { imageRef: 'ubuntu' }, 400, 'Invalid imageRef provided.'],
    ['an unknown network', { networks: [{ uuid: MISSING_ID }] }, 400, `Network ${MISSING_ID} could not be found.`],
    [
      'a network that is not a UUID',
      { networks: [{ uuid: 'n' }] },
      400,
      'Bad networks format: network uuid is not in proper format (n)',
    ],
    ['an unknown port', { networks: [{ port: MISSING_ID }] }, 400, `Port id ${MISSING_ID} could not be found.`],
    ['an unknown zone', { availability_zone: 'mars' }, 400, 'The requested availability zone is not available'],
    ['an unknown key pair', { key_name: 'k' }, 400, 'Invalid key_name provided.'],
    [
      'an unknown security group',
      { security_groups: [{ name: 'sg' }] },
      400,
      /^Security group sg not found for project [0-9a-f]{32}\.$/,
    ],
    ['an empty name', { name: '' }, 400, "Invalid input for field/attribute name. Value: . '' is too short"],
    ['a name that is too long', { name: 'x'.repeat(256) }, 400, /is too long$/],
    [
      'a name that is not a string',
      { name: 7 },
      400,
      "Invalid input for field/attribute name. Value: 7. 7 is not of type 'string'",
    ],
    [
      'user data that is not base64',
      { user_data: '#!' },
      400,
      "Invalid input for field/attribute user_data. Value: #!. '#!' is not a 'base64'",
    ],
    [
      'user data of more than 65535 characters',
      { user_data: 'A'.repeat(65_536) },
      400,
      /^Invalid input for field\/attribute user_data\. .* is too long$/,
    ],
    ['more than 50 tags', { tags: Array.from({ length: 51 }, (_, i) => `t${i}`) }, 400, /is too long$/],
    [
      'a tag with a slash',
      { tags: ['a/b'] },
      400,
      /^Invalid input for field\/attribute 0\. Value: a\/b\. 'a\/b' does not match/,
    ],
    ['a metadata value of 256 characters', { metadata: { a: 'x'.repeat(256) } }, 400, /is too long$/],
    [
      'an unknown attribute',
      { colour: 'red' },
      400,
      /Additional properties are not allowed \('colour' was unexpected\)$/,
    ],
    ['no networks at all', { networks: undefined }, 400, /'networks' is a required property$/],
    ['min_count above max_count', { min_count: 3, max_count: 2 }, 400, 'min_count must be <= max_count'],
    [
      'a volume without a size',
      {
        imageRef: '',
        block_device_mapping_v2: [
          { boot_index: 0, source_type: 'image', destination_type: 'volume', uuid: imageId('Debian 12') },
        ],
      },
      400,
      "Images with destination_type 'volume' need to have a non-zero size specified",
    ],
    [
      'a volume of an unknown type',
      {
        imageRef: '',
        block_device_mapping_v2: [
          {
            boot_index: 0,
            source_type: 'image',
            destination_type: 'volume',
            uuid: imageId('Debian 12'),
            volume_size: 20,
            volume_type: 'nope',
          },
        ],
      },
      400,
      'Volume type nope could not be found.',
    ],
    [
      'a volume that does not exist',
      { imageRef: '', block_device_mapping_v2: [{ boot_index: 0, source_type: 'volume', uuid: MISSING_ID }] },
      400,
      `Block Device Mapping is Invalid: failed to get volume ${MISSING_ID}.`,
    ],
  ])('with %s', async (_name, overrides, status, message) => {
    const response = await create(overrides);

    expect(response.status).toBe(status);
    expect(response.body['badRequest']).toMatchObject({ code: status });
    expect(response.body['badRequest']?.['message']).toMatch(
      typeof message === 'string' ? exactMessage(message) : message,
    );
  });

  it.each([
    ['an unknown server group', MISSING_ID, `Instance group ${MISSING_ID} could not be found.`],
    ['a group that is not a UUID', 'g', /Value: g\./],
  ])('with %s', async (_name, group, message) => {
    const response = await create({}, { 'os:scheduler_hints': { group } });

    expect(response.status).toBe(400);
    expect(response.body['badRequest']?.['message']).toMatch(message);
  });

  it('on a network without a subnet, or on an external network', async () => {
    const emptyNetwork = await test.demo.make('/network/v2.0/networks', { network: {} });
    const { body } = await test.demo.call('GET', '/network/v2.0/networks?name=public');
    const external = body['networks']?.[0]?.['id'];

    const withoutSubnet = await create({ networks: [{ uuid: emptyNetwork.id }] });
    const externalResponse = await create({ networks: [{ uuid: external }] });

    expect(withoutSubnet.status).toBe(400);
    expect(withoutSubnet.body['badRequest']?.['message']).toMatch(/requires a subnet in order to boot instances on\.$/);
    expect(externalResponse.status).toBe(403);
  });

  it('with properties that the microversion does not support', async () => {
    const response = await create({ tags: ['a'] }, {}, 'compute 2.51');

    expect(response.status).toBe(400);
    expect(response.body['badRequest']?.['message']).toMatch(
      /Additional properties are not allowed \('tags' was unexpected\)$/,
    );
  });

  it('with a port in use', async () => {
    const { network } = await makeNetwork(test.demo, { name: 'ports' });
    const port = await test.demo.make('/network/v2.0/ports', { port: { network_id: network.id } });
    await makeServer(test.demo, { networks: [{ port: port.id }] });
    await test.clock.advance(1);

    const response = await create({ networks: [{ port: port.id }] });

    expect(response.status).toBe(409);
    expect(response.body['conflictingRequest']?.['message']).toBe(`Port ${port.id} is still in use.`);
  });
});

describe('a new server', () => {
  it('is returned with only its id, links and a password', async () => {
    const response = await create({});

    expect(response.status).toBe(202);
    expect(Object.keys(response.body['server'] ?? {}).sort()).toEqual([
      'OS-DCF:diskConfig',
      'adminPass',
      'id',
      'links',
      'security_groups',
    ]);
    expect(response.headers.get('location')).toContain('/compute/v2.1/servers/');
    expect(response.headers.get('x-compute-request-id')).toMatch(/^req-/);
  });

  it('returns user data to administrators unchanged', async () => {
    const userData = Buffer.from(`#cloud-config\n${'runcmd: [true]\n'.repeat(900)}`).toString('base64');
    const { id } = await makeServer(test.demo, { user_data: userData });

    expect(await showServer(test.admin, id)).toMatchObject({ 'OS-EXT-SRV-ATTR:user_data': userData });
    expect(await showServer(test.demo, id)).not.toHaveProperty('OS-EXT-SRV-ATTR:user_data');
  });

  it('boots from a volume', async () => {
    const device = {
      boot_index: 0,
      source_type: 'image',
      destination_type: 'volume',
      uuid: imageId('Debian 12'),
      volume_size: 20,
      delete_on_termination: true,
    };
    const { id } = await makeServer(test.demo, { imageRef: '', block_device_mapping_v2: [device] });
    await test.clock.advance(1);

    expect(await showServer(test.demo, id)).toMatchObject({
      status: 'ACTIVE',
      image: '',
      'os-extended-volumes:volumes_attached': [{ delete_on_termination: true }],
    });
  });

  it('can be created in batches', async () => {
    const response = await create({ name: 'many', min_count: 2, max_count: 3 });
    const found = await test.demo.call('GET', '/compute/v2.1/servers?name=^many-', undefined, LATEST);

    expect(response.status).toBe(202);
    expect(found.body['servers']).toMatchObject([{ name: 'many-3' }, { name: 'many-2' }, { name: 'many-1' }]);
  });
});

describe('a quota', () => {
  it.each<[Readonly<Record<string, number>>, string, string]>([
    [{ instances: 0 }, 'b3-8', 'Quota exceeded for instances: Requested 1, but already used 0 of 0 instances'],
    [{ cores: 3 }, 'b3-16', 'Quota exceeded for cores: Requested 4, but already used 0 of 3 cores'],
    [
      { cores: 1, ram: 8000 },
      'b3-8',
      'Quota exceeded for cores, ram: Requested 2, 8192, but already used 0, 0 of 1, 8000 cores, ram',
    ],
    [{ metadata_items: 0 }, 'b3-8', 'Maximum number of metadata items exceeds 0'],
  ])("%j rejects a %s with Nova's message", async (limits, flavor, message) => {
    const full = await startTestCloud();
    full.cloud.setQuota('demo', limits);
    const server = serverFields({ flavorRef: flavorId(flavor), metadata: { a: 'b' } });

    const response = await full.demo.call('POST', '/compute/v2.1/servers', { server }, LATEST);
    await full.cloud.close();

    expect(response.status).toBe(403);
    expect(response.body).toEqual({ forbidden: { code: 403, message } });
  });

  it('for Neutron ports also limits server creation in Nova', async () => {
    const full = await startTestCloud();
    const { network } = await makeNetwork(full.demo);
    full.cloud.setQuota('demo', { port: 0 });

    const body = { server: serverFields({ networks: [{ uuid: network.id }] }) };
    const response = await full.demo.call('POST', '/compute/v2.1/servers', body, LATEST);
    await full.cloud.close();

    expect(response.body).toEqual({ forbidden: { code: 403, message: 'Maximum number of ports exceeded' } });
  });
});
