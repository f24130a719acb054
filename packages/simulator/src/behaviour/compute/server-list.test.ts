import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CreatedObject, listed, startTestCloud, type TestCloud, type TestUser } from '../../test-cloud.ts';
import { flavorId, LATEST, makeNetwork, makeServer } from '../../test-resources.ts';

let test: TestCloud;
let network: CreatedObject;
let changedAt: string;
beforeAll(async () => {
  test = await startTestCloud();
  ({ network } = await makeNetwork(test.demo));
  await makeServer(test.demo, { name: 'web-1', tags: ['x'], networks: [{ uuid: network.id, fixed_ip: '10.0.0.20' }] });
  await test.clock.advance(1000);
  await makeServer(test.demo, {
    name: 'web-2',
    tags: ['x', 'y'],
    networks: [{ uuid: network.id, fixed_ip: '10.0.0.21' }],
  });
  await test.clock.advance(1000);
  const deletedServer = await makeServer(test.demo, { name: 'gone' });
  await test.clock.advance(1000);
  changedAt = new Date(test.clock.now()).toISOString();
  await makeServer(test.demo, { name: 'db-1', flavorRef: flavorId('b3-16'), availability_zone: 'nova-b' });
  await test.demo.call('DELETE', `/compute/v2.1/servers/${deletedServer.id}`);
  await test.clock.advance(1000);
});
afterAll(() => test.cloud.close());

async function names(query: string, user: TestUser = test.demo): Promise<string[]> {
  const response = await user.call('GET', `/compute/v2.1/servers/detail?${query}`, undefined, LATEST);
  expect(response.status).toBe(200);
  return listed(response, 'servers').map((server) => server.name);
}

describe('filters', () => {
  it.each<[string, readonly string[]]>([
    ['', ['db-1', 'web-2', 'web-1']],
    ['name=web', ['web-2', 'web-1']],
    ['name=^web-1$', ['web-1']],
    ['status=ACTIVE', ['db-1', 'web-2', 'web-1']],
    ['status=error', []],
    ['status=BUILD&status=ACTIVE', ['db-1', 'web-2', 'web-1']],
    ['tags=x', ['web-2', 'web-1']],
    ['tags=x,y', ['web-2']],
    ['tags-any=y,z', ['web-2']],
    ['not-tags=x,y', ['db-1', 'web-1']],
    ['not-tags-any=x,y', ['db-1']],
    ['ip=10.0.0.2', ['web-2', 'web-1']],
    ['ip=10.0.0.21', ['web-2']],
    ['flavor=b3-16', ['db-1']],
    ['availability_zone=nova-b', ['db-1']],
    ['sort_key=display_name&sort_dir=asc', ['db-1', 'web-1', 'web-2']],
    ['limit=1', ['db-1']],
  ])('%s', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  it('include deleted servers with changes-since', async () => {
    const response = await test.demo.call(
      'GET',
      `/compute/v2.1/servers/detail?changes-since=${changedAt}`,
      undefined,
      LATEST,
    );

    expect(listed(response, 'servers').map(({ name, status }) => [name, status])).toEqual([
      ['db-1', 'ACTIVE'],
      ['gone', 'DELETED'],
    ]);
  });

  it.each([
    ['changes-since=yesterday', 400],
    ['marker=nope', 400],
    ['limit=many', 400],
    ['sort_key=colour', 400],
    ['status=DELETED', 403],
  ])('%s is rejected with %i', async (query, status) => {
    expect((await test.demo.call('GET', `/compute/v2.1/servers?${query}`)).status).toBe(status);
  });

  it('include tags since 2.26', async () => {
    const response = await test.demo.call('GET', '/compute/v2.1/servers?tags=x', undefined, {
      'OpenStack-API-Version': 'compute 2.25',
    });

    expect(listed(response, 'servers')).toHaveLength(3);
  });
});

it('pages with a marker', async () => {
  let path: string | undefined = '/compute/v2.1/servers?limit=2';
  const seen: string[][] = [];
  while (path !== undefined) {
    const response = await test.demo.call('GET', path);
    seen.push(listed(response, 'servers').map((server) => server.name));
    const links = (response.body['servers_links'] ?? []) as unknown as readonly { readonly href: string }[];
    path = links[0]?.href.slice(test.origin.length);
  }

  expect(seen).toEqual([['db-1', 'web-2'], ['web-1']]);
});

describe('microversions', () => {
  it.each([
    [1, ['OS-EXT-AZ:availability_zone', 'flavor'], ['locked', 'description', 'tags']],
    [9, ['locked'], ['description', 'tags']],
    [19, ['locked', 'description'], ['tags']],
    [26, ['tags'], ['locked_reason']],
    [73, ['locked_reason'], []],
    [90, ['OS-EXT-SRV-ATTR:hostname'], ['OS-EXT-SRV-ATTR:host']],
  ] as const)('2.%i returns the fields of that version', async (minor, present, absent) => {
    const response = await test.demo.call('GET', '/compute/v2.1/servers/detail', undefined, {
      'X-OpenStack-Nova-API-Version': `2.${minor}`,
    });
    const [server] = listed(response, 'servers');

    for (const name of present) expect(server).toHaveProperty([name]);
    for (const name of absent) expect(server).not.toHaveProperty([name]);
    expect(response.headers.get('openstack-api-version')).toBe(`compute 2.${minor}`);
  });

  it.each([
    ['compute 2.46', { id: flavorId('b3-16') }],
    ['compute latest', { original_name: 'b3-16', vcpus: 4, ram: 16384, disk: 100 }],
  ])('%s returns the flavor in the format of that version', async (version, expected) => {
    const response = await test.demo.call('GET', '/compute/v2.1/servers/detail?name=db', undefined, {
      'OpenStack-API-Version': version,
    });

    expect(listed(response, 'servers')[0]?.['flavor']).toMatchObject(expected);
  });

  it.each([
    [
      'compute 2.94',
      406,
      {
        computeFault: {
          code: 406,
          message: 'Version 2.94 is not supported by the API. Minimum is 2.1 and maximum is 2.93.',
        },
      },
    ],
    ['compute 3.1', 406, { computeFault: { code: 406 } }],
    [
      'compute x',
      400,
      { badRequest: { message: 'API Version String x is of invalid format. Must be of format MajorNum.MinorNum.' } },
    ],
    ['network 2.94', 200, {}],
  ])('responds to version %s with %i', async (version, status, body) => {
    const response = await test.demo.call('GET', '/compute/v2.1/servers', undefined, {
      'OpenStack-API-Version': version,
    });

    expect(response.status).toBe(status);
    expect(response.body).toMatchObject(body);
  });
});
