import { FakeClock } from '@fairway/base/clock-fake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Cloud } from '../cloud.ts';
import type { OpenStackClient } from '../openstack-client.ts';
import { type Behaviour, FakeServer, type ReceivedRequest } from '../testing/fake-server.ts';

/** What each method sends, for calls that are easy to get wrong. tests/contract runs them against real services. */
describe('OpenStackClient', () => {
  const clock = new FakeClock();
  let server: FakeServer;
  let client: OpenStackClient;
  let respond: (request: ReceivedRequest) => Behaviour;

  beforeEach(async () => {
    respond = () => ({ body: {} });
    server = new FakeServer((request) => (request.path === '/v3/auth/tokens' ? authenticate() : discover(request)));
    const url = await server.listen();
    const overrides = { compute: `${url}/v2.1`, network: `${url}/v2.0`, image: `${url}/v2`, identity: `${url}/v3` };
    const cloud = new Cloud({
      config: {
        name: 'test',
        authUrl: url,
        credential: { kind: 'token', token: 'x', scope: { kind: 'default' } },
        region: undefined,
        interface: 'public',
        tls: { verify: true },
        endpointOverrides: overrides,
        computeMicroversion: undefined,
      },
      clock,
      random: () => 0,
      readFile: () => '',
      transport: server.transport,
    });
    client = cloud.client();
  });

  afterEach(() => server.close());

  function authenticate(): Behaviour {
    const token = {
      methods: ['token'],
      user: { id: 'u1', name: 'demo', domain: { id: 'default', name: 'Default' } },
      project: { id: 'p1', name: 'demo', domain: { id: 'default', name: 'Default' } },
      issued_at: new Date(clock.now()).toISOString(),
      expires_at: new Date(clock.now() + 3_600_000).toISOString(),
    };
    return { status: 201, headers: { 'x-subject-token': 't' }, body: { token } };
  }

  function discover(request: ReceivedRequest): Behaviour {
    if (request.path !== '/v2.1/') return respond(request);
    return { body: { version: { id: 'v2.1', status: 'CURRENT', version: '2.93', min_version: '2.1', links: [] } } };
  }

  interface Case {
    readonly call: string;
    readonly run: (client: OpenStackClient) => Promise<unknown>;
    readonly sends: string;
    readonly body?: object;
    readonly headers?: Record<string, string>;
  }

  it.each<Case>([
    {
      call: 'servers.create',
      run: ({ compute }) =>
        compute.servers.create(
          { name: 'n', flavorRef: 'f', networks: [{ port: 'p' }], tags: ['a'], user_data: 'eA==' },
          { hints: { group: 'g' } },
        ),
      sends: 'POST /v2.1/servers',
      body: {
        server: { name: 'n', flavorRef: 'f', networks: [{ port: 'p' }], tags: ['a'], user_data: 'eA==' },
        'os:scheduler_hints': { group: 'g' },
      },
      headers: { 'openstack-api-version': 'compute 2.93', 'x-auth-token': 't' },
    },
    {
      call: 'servers.list',
      run: ({ compute }) => Array.fromAsync(compute.servers.list({ tags: ['a', 'b'] }, { pageSize: 2 })),
      sends: 'GET /v2.1/servers/detail?tags=a%2Cb&limit=2',
    },
    {
      call: 'servers.reboot',
      run: ({ compute }) => compute.servers.reboot('s', 'HARD'),
      sends: 'POST /v2.1/servers/s/action',
      body: { reboot: { type: 'HARD' } },
    },
    {
      call: 'servers.start',
      run: ({ compute }) => compute.servers.start('s'),
      sends: 'POST /v2.1/servers/s/action',
      body: { 'os-start': null },
    },
    {
      call: 'servers.consoleLog',
      run: ({ compute }) => compute.servers.consoleLog('s', 50),
      sends: 'POST /v2.1/servers/s/action',
      body: { 'os-getConsoleOutput': { length: 50 } },
    },
    {
      call: 'servers.attachInterface',
      run: ({ compute }) => compute.servers.attachInterface('s', { uuid: 'n', fixed_ip: '10.0.0.5' }),
      sends: 'POST /v2.1/servers/s/os-interface',
      body: { interfaceAttachment: { net_id: 'n', fixed_ips: [{ ip_address: '10.0.0.5' }] } },
    },
    {
      call: 'compute.quotaSet',
      run: ({ compute }) => compute.quotaSet(),
      sends: 'GET /v2.1/os-quota-sets/p1',
    },
    {
      call: 'networks.list',
      run: ({ network }) => Array.fromAsync(network.networks.list({ tagsAny: ['a'], 'router:external': true })),
      sends: 'GET /v2.0/networks?router%3Aexternal=true&tags-any=a&limit=1000',
    },
    {
      call: 'ports.list',
      run: ({ network }) => Array.fromAsync(network.ports.list({ id: ['1', '2'], fixed_ips: 'ip_address=10.0.0.5' })),
      sends: 'GET /v2.0/ports?id=1&id=2&fixed_ips=ip_address%3D10.0.0.5&limit=1000',
    },
    {
      call: 'securityGroupRules.createMany',
      run: ({ network }) =>
        network.securityGroupRules.createMany([
          { security_group_id: 'g', direction: 'ingress', protocol: 'tcp', port_range_min: 22, port_range_max: 22 },
          { security_group_id: 'g', direction: 'ingress', remote_group_id: 'g' },
        ]),
      sends: 'POST /v2.0/security-group-rules',
      body: {
        security_group_rules: [
          { security_group_id: 'g', direction: 'ingress', protocol: 'tcp', port_range_min: 22, port_range_max: 22 },
          { security_group_id: 'g', direction: 'ingress', remote_group_id: 'g' },
        ],
      },
    },
    {
      call: 'securityGroups.update',
      run: ({ network }) => network.securityGroups.update('g', { name: 'n' }, { ifRevision: 3 }),
      sends: 'PUT /v2.0/security-groups/g',
      body: { security_group: { name: 'n' } },
      headers: { 'if-match': 'revision_number=3' },
    },
    {
      call: 'routers.addInterface',
      run: ({ network }) => network.routers.addInterface('r', { subnet_id: 's' }),
      sends: 'PUT /v2.0/routers/r/add_router_interface',
      body: { subnet_id: 's' },
    },
    {
      call: 'floatingIps.update',
      run: ({ network }) => network.floatingIps.update('f', { port_id: null }),
      sends: 'PUT /v2.0/floatingips/f',
      body: { floatingip: { port_id: null } },
    },
    {
      call: 'networks.addTag',
      run: ({ network }) => network.networks.addTag('n', 'fairway.dev/cluster=a b'),
      sends: 'PUT /v2.0/networks/n/tags/fairway.dev%2Fcluster%3Da%20b',
    },
    {
      call: 'quotaDetails',
      run: ({ network }) => network.quotaDetails(),
      sends: 'GET /v2.0/quotas/p1/details.json',
    },
    {
      call: 'images.list',
      run: ({ images }) =>
        Array.fromAsync(images.list({ name: 'u', tags: ['a', 'b'], properties: { os_distro: 'x' } })),
      sends: 'GET /v2/images?os_distro=x&name=u&tag=a&tag=b&limit=1000',
    },
    {
      call: 'createApplicationCredential',
      run: ({ identity }) => identity.createApplicationCredential({ name: 'c', roles: [{ name: 'member' }] }),
      sends: 'POST /v3/users/u1/application_credentials',
      body: { application_credential: { name: 'c', roles: [{ name: 'member' }] } },
    },
    {
      call: 'createTrust',
      run: ({ identity }) => identity.createTrust({ trustee_user_id: 'u2', impersonation: true, project_id: 'p1' }),
      sends: 'POST /v3/OS-TRUST/trusts',
      body: { trust: { trustee_user_id: 'u2', impersonation: true, project_id: 'p1', trustor_user_id: 'u1' } },
    },
  ])('$call sends $sends', async ({ run, sends, body, headers = {} }) => {
    await server.run(
      clock,
      // The empty response is invalid: only the request matters here.
      run(client).catch(() => {}),
    );

    const request = server.requests.at(-1);
    expect(`${request?.method} ${request?.path}`).toBe(sends);
    expect(request?.body).toEqual(body);
    expect(request?.headers).toMatchObject(headers);
  });

  it.each([
    {
      api: 'Nova',
      list: () => client.compute.flavors.list({ pageSize: 2 }),
      page: (ids: string[], next?: string) => ({
        flavors: ids.map((id) => ({ id, name: id, vcpus: 1, ram: 1, disk: 1 })),
        ...(next && {
          flavors_links: [{ rel: 'next', href: `http://10.0.0.1/v2.1/flavors/detail?limit=2&marker=${next}` }],
        }),
      }),
      path: '/v2.1/flavors/detail?limit=2',
    },
    {
      api: 'Neutron',
      list: () => client.network.networks.list({}, { pageSize: 2 }),
      page: (ids: string[], next?: string) => ({
        networks: ids.map((id) => ({ id, name: id, status: 'ACTIVE' })),
        networks_links: [
          ...(next ? [{ rel: 'next', href: `http://10.0.0.1:9696/v2.0/networks?limit=2&marker=${next}` }] : []),
          { rel: 'previous', href: 'http://10.0.0.1:9696/v2.0/networks?limit=2&marker=a&page_reverse=True' },
        ],
      }),
      path: '/v2.0/networks?limit=2',
    },
    {
      api: 'Glance',
      list: () => client.images.list({}, { pageSize: 2 }),
      page: (ids: string[], next?: string) => ({
        images: ids.map((id) => ({ id, status: 'active', created_at: '', updated_at: '' })),
        ...(next && { next: `/v2/images?limit=2&marker=${next}` }),
      }),
      path: '/v2/images?limit=2',
    },
  ])('reads all pages of $api, by marker and at the endpoint in the catalog', async ({ list, page, path }) => {
    respond = (request) => {
      const marker = new URL(request.path, 'http://x').searchParams.get('marker');
      return { body: marker === 'b' ? page(['c']) : page(['a', 'b'], 'b') };
    };

    const items = await server.run(clock, Array.fromAsync(list() as AsyncIterable<{ id: string }>));

    expect(items.map((item) => item.id)).toEqual(['a', 'b', 'c']);
    const paths = server.requests.map((request) => request.path).filter((each) => each.startsWith(path));
    expect(paths).toEqual([path, `${path}&marker=b`]);
  });

  it('reads server groups by offset, since they have no links', async () => {
    respond = (request) => {
      const offset = Number(new URL(request.path, 'http://x').searchParams.get('offset'));
      const groups = ['a', 'b', 'c'].map((id) => ({ id, name: id, policy: 'anti-affinity' }));
      return { body: { server_groups: groups.slice(offset, offset + 2) } };
    };

    const groups = await server.run(clock, Array.fromAsync(client.compute.serverGroups.list({ pageSize: 2 })));

    expect(groups.map((group) => group.id)).toEqual(['a', 'b', 'c']);
  });

  it.each(['', '.', '..'])('rejects the id "%s", which would turn the request into another call', async (id) => {
    await expect(server.run(clock, client.compute.servers.delete(id))).rejects.toThrow('no value for {server_id}');
    expect(server.requests.filter((request) => request.method === 'DELETE')).toEqual([]);
  });

  it('gives up on a list whose pages loop', async () => {
    respond = ({ path }) => {
      const next = path.includes('marker=a') ? 'b' : 'a';
      const links = [{ rel: 'next', href: `http://elsewhere/v2/images?marker=${next}` }];
      return { body: { security_groups: [{ id: 'g', name: 'g', project_id: 'p1' }], security_groups_links: links } };
    };
    const list = async () => {
      for await (const _ of client.network.securityGroups.list());
    };
    await expect(server.run(clock, list())).rejects.toThrow('the list does not end: the page after a is repeated');
    expect(server.requests.filter(({ path }) => path.startsWith('/v2.0/security-groups'))).toHaveLength(3);
  });
});
