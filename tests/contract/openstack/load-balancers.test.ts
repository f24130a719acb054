import { expect, it } from 'vitest';
import { NO_SUCH_ID } from './contract-cloud.ts';
import { LoadBalancerCloud } from './load-balancer-cloud.ts';
import { expectOctaviaError } from './octavia-error.ts';
import { describeClouds } from './targets.ts';

const ID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);

describeClouds('load balancers', (cloud) => {
  it('report the API’s minor versions without a token, one of them current', async () => {
    const endpoint = await cloud().member.session.endpoint('load-balancer');
    const { status, json } = await cloud().fetch(`${new URL(endpoint).origin}${rootOf(endpoint)}/`, 'GET');

    const { versions } = json as { versions: { id: string; status: string }[] };
    expect(status).toBe(200);
    expect(versions.filter((version) => version.status === 'CURRENT').map(({ id }) => id)).toEqual(['v2.26']);
    expect(versions.map(({ id }) => id)).toContain('v2.12');
  });

  it('have all fields when created, and become ACTIVE and ONLINE', async () => {
    const octavia = new LoadBalancerCloud(cloud());
    const { id: vip_network_id, subnetId } = await cloud().network();
    const name = cloud().name();
    const created = await octavia.expect('POST', 'loadbalancers', {
      loadbalancer: { name, vip_subnet_id: subnetId, tags: ['a', 'b'] },
    });
    octavia.deferDeletion(created.id);

    expect(created).toEqual({
      id: ID,
      name,
      description: '',
      provisioning_status: 'PENDING_CREATE',
      operating_status: 'OFFLINE',
      admin_state_up: true,
      project_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      tenant_id: created['project_id'],
      created_at: TIME,
      updated_at: null,
      vip_address: expect.stringMatching(/^10\.123\.0\.\d+$/),
      vip_port_id: ID,
      vip_subnet_id: subnetId,
      vip_network_id,
      vip_qos_policy_id: null,
      additional_vips: [],
      listeners: [],
      pools: [],
      provider: expect.any(String),
      flavor_id: null,
      availability_zone: null,
      tags: expect.arrayContaining(['a', 'b']),
    });
    expect(await octavia.waitUntilSettled(created.id)).toMatchObject({
      provisioning_status: 'ACTIVE',
      operating_status: 'ONLINE',
      updated_at: TIME,
    });
  });

  it('get a floating IP through the VIP’s port, and the port is deleted with them', async () => {
    const octavia = new LoadBalancerCloud(cloud());
    const { network } = cloud().member;
    const { subnetId } = await cloud().network();
    const external = await cloud().externalNetwork();
    const router = await network.routers.create({
      name: cloud().name(),
      external_gateway_info: { network_id: external.id },
    });
    cloud().defer(() => network.routers.delete(router.id));
    await network.routers.addInterface(router.id, { subnet_id: subnetId });
    cloud().defer(() => network.routers.removeInterface(router.id, { subnet_id: subnetId }));
    const createdBalancer = await octavia.loadBalancerOn(subnetId);
    const portId = String(createdBalancer['vip_port_id']);
    const port = await network.ports.get(portId);
    const floatingIp = await network.floatingIps.create({ floating_network_id: external.id, port_id: portId });
    cloud().defer(() => network.floatingIps.delete(floatingIp.id));

    await octavia.call('DELETE', `loadbalancers/${createdBalancer.id}`);
    await octavia.waitUntilDeleted(`loadbalancers/${createdBalancer.id}`);

    expect(port).toMatchObject({
      name: `octavia-lb-${createdBalancer.id}`,
      device_owner: 'Octavia',
      device_id: `lb-${createdBalancer.id}`,
      admin_state_up: false,
      fixed_ips: [{ subnet_id: subnetId, ip_address: createdBalancer['vip_address'] }],
    });
    expect(floatingIp.fixed_ip_address).toBe(createdBalancer['vip_address']);
    const remaining = await Array.fromAsync(network.ports.list({ device_id: `lb-${createdBalancer.id}` }));
    expect(remaining).toEqual([]);
    expect((await network.floatingIps.get(floatingIp.id)).port_id).toBeNull();
  });

  it("keep a user's port", async () => {
    const octavia = new LoadBalancerCloud(cloud());
    const { ports } = cloud().member.network;
    const { id: network_id, subnetId } = await cloud().network();
    const port = await ports.create({ network_id, name: cloud().name() });
    cloud().defer(() => ports.delete(port.id));
    const { id } = await octavia.expect('POST', 'loadbalancers', {
      loadbalancer: { name: cloud().name(), vip_port_id: port.id },
    });
    octavia.deferDeletion(id);
    const settled = await octavia.waitUntilSettled(id);

    await octavia.call('DELETE', `loadbalancers/${id}`);
    await octavia.waitUntilDeleted(`loadbalancers/${id}`);

    expect(settled).toMatchObject({ vip_subnet_id: subnetId, vip_address: port.fixed_ips[0]?.ip_address });
    expect(await ports.get(port.id)).toMatchObject({ id: port.id });
  });

  it('can be created together with listeners, pools, members and monitors', async () => {
    const octavia = new LoadBalancerCloud(cloud());
    const { subnetId } = await cloud().network();
    const createdBalancer = await octavia.expect('POST', 'loadbalancers', {
      loadbalancer: {
        name: cloud().name(),
        vip_subnet_id: subnetId,
        pools: [
          {
            name: 'p',
            protocol: 'TCP',
            lb_algorithm: 'ROUND_ROBIN',
            members: [{ address: '10.123.0.20', protocol_port: 30080, name: 'm' }],
            healthmonitor: { type: 'TCP', delay: 10, timeout: 5, max_retries: 3 },
          },
        ],
        listeners: [
          { name: 'l1', protocol: 'TCP', protocol_port: 80, default_pool: { name: 'p' } },
          {
            name: 'l2',
            protocol: 'UDP',
            protocol_port: 80,
            default_pool: { name: 'q', protocol: 'UDP', lb_algorithm: 'SOURCE_IP' },
          },
        ],
      },
    });
    octavia.deferDeletion(createdBalancer.id);

    expect(createdBalancer['listeners']).toHaveLength(2);
    expect(createdBalancer['listeners']).toContainEqual(
      expect.objectContaining({ name: 'l1', protocol_port: 80, default_pool_id: ID, l7policies: [] }),
    );
    expect(createdBalancer['pools']).toContainEqual(
      expect.objectContaining({
        name: 'p',
        members: [expect.objectContaining({ name: 'm', address: '10.123.0.20', weight: 1 })],
        // The load balancer exists, as the lists show.
        healthmonitor: null,
      }),
    );
    const settled = await octavia.waitUntilSettled(createdBalancer.id);
    expect(settled).toMatchObject({ listeners: [{ id: ID }, { id: ID }], pools: [{ id: ID }, { id: ID }] });
    const [pool] = await octavia.list(`pools?loadbalancer_id=${createdBalancer.id}&name=p`);
    expect(pool).toMatchObject({ healthmonitor_id: ID, operating_status: 'ONLINE', members: [{ id: ID }] });
    expect(await octavia.list(`pools/${pool?.id}/members`)).toMatchObject([{ operating_status: 'ONLINE' }]);
  });

  it('are immutable while a part is pending', async () => {
    const octavia = new LoadBalancerCloud(cloud());
    const { id } = await octavia.loadBalancer();
    const listener = { loadbalancer_id: id, protocol: 'TCP', protocol_port: 1, connection_limit: 0 };

    const [renamed, refused] = await Promise.all([
      octavia.retryWhilePending(id, () => octavia.call('PUT', `loadbalancers/${id}`, { loadbalancer: { name: 'x' } })),
      octavia.retryWhilePending(id, () => octavia.call('POST', 'listeners', { listener })),
    ]);

    expectOctaviaError(renamed, 409, `Invalid state PENDING_UPDATE of loadbalancer resource ${id}`);
    expectOctaviaError(refused, 409, `Load Balancer ${id} is immutable and cannot be updated.`);
  });

  it('are changed in place, and null clears a field', async () => {
    const octavia = new LoadBalancerCloud(cloud());
    const { id } = await octavia.loadBalancer({ description: 'd', tags: ['old'] });

    const changed = await octavia.expect('PUT', `loadbalancers/${id}`, {
      loadbalancer: { name: null, description: null, tags: ['new'], admin_state_up: false },
    });
    const settled = await octavia.waitUntilSettled(id);

    expect(changed).toMatchObject({
      provisioning_status: 'PENDING_UPDATE',
      name: '',
      description: '',
      tags: ['new'],
      admin_state_up: false,
    });
    expect(settled).toMatchObject({ provisioning_status: 'ACTIVE', operating_status: 'OFFLINE' });
  });

  it('are deleted with their children only by a cascading delete', async () => {
    const octavia = new LoadBalancerCloud(cloud());
    const { id } = await octavia.loadBalancer();
    const listener = await octavia.make(id, 'listeners', {
      listener: { loadbalancer_id: id, protocol: 'TCP', protocol_port: 80 },
    });

    const refused = await octavia.call('DELETE', `loadbalancers/${id}`);
    const accepted = await octavia.call('DELETE', `loadbalancers/${id}?cascade=true`);
    await octavia.waitUntilDeleted(`loadbalancers/${id}`);

    expectOctaviaError(refused, 400, `Validation failure: Cannot delete Load Balancer ${id} - it has children`);
    expect([accepted.status, accepted.text]).toEqual([204, '']);
    expectOctaviaError(
      await octavia.call('GET', `listeners/${listener.id}`),
      404,
      `Listener ${listener.id} not found.`,
    );
  });

  it('are listed by fields and tags, sorted and paged', async () => {
    const octavia = new LoadBalancerCloud(cloud());
    const { subnetId } = await cloud().network();
    const tag = cloud().name();
    const first = await octavia.loadBalancerOn(subnetId, { name: `${tag}-a`, tags: [tag, 'x'] });
    const second = await octavia.loadBalancerOn(subnetId, { name: `${tag}-b`, tags: [tag, 'y'] });
    const ids = async (query: string): Promise<string[]> =>
      (await octavia.list(`loadbalancers?${query}`)).map(({ id }) => id);

    expect(await ids(`name=${first.name}`)).toEqual([first.id]);
    expect(await ids(`vip_subnet_id=${subnetId}&sort=name:desc`)).toEqual([second.id, first.id]);
    expect(await ids(`tags=${tag},x`)).toEqual([first.id]);
    expect(await ids(`tags=${tag}&not-tags=x`)).toEqual([second.id]);
    expect((await ids(`tags-any=x,y&vip_subnet_id=${subnetId}`)).sort()).toEqual([first.id, second.id].sort());
    const page = await octavia.call('GET', `loadbalancers?tags=${tag}&sort=name&limit=1`);
    const { loadbalancers, loadbalancers_links } = page.json as {
      loadbalancers: { id: string }[];
      loadbalancers_links: { rel: string; href: string }[];
    };
    expect(loadbalancers).toMatchObject([{ id: first.id }]);
    expect(loadbalancers_links).toMatchObject([{ rel: 'next' }]);
    expect(loadbalancers_links[0]?.href).toMatch(
      new RegExp(`/lbaas/loadbalancers\\?limit=1&sort=name&marker=${first.id}$`),
    );
    expect(await ids(`tags=${tag}&sort=name&limit=1&marker=${first.id}`)).toEqual([second.id]);
    expect(await octavia.list(`loadbalancers?name=${first.name}&fields=id&fields=name`)).toEqual([
      { id: first.id, name: first.name },
    ]);
    expectOctaviaError(
      await octavia.call('GET', 'loadbalancers?nonsense=1'),
      400,
      'One or more arguments are either duplicate or invalid',
    );
    expectOctaviaError(
      await octavia.call('GET', `loadbalancers?marker=${NO_SUCH_ID}`),
      400,
      `Supplied pagination marker '${NO_SUCH_ID}' is not valid.`,
    );
    expect((await octavia.call('GET', 'loadbalancers?limit=x')).json).toEqual({
      code: 400,
      title: 'Bad Request',
      description: "Supplied pagination limit 'x' is not valid.",
    });
  });

  it('refuse invalid bodies with WSME’s messages', async () => {
    const octavia = new LoadBalancerCloud(cloud());
    const { subnetId } = await cloud().network();
    const create = (loadbalancer: object) => octavia.call('POST', 'loadbalancers', { loadbalancer });

    expectOctaviaError(
      await create({}),
      400,
      'Validation failure: VIP must contain one of: vip_port_id, vip_network_id, vip_subnet_id.',
    );
    expectOctaviaError(
      await create({ vip_subnet_id: subnetId, nonsense: 1 }),
      400,
      'Unknown attribute for argument load_balancer.loadbalancer: nonsense',
    );
    expectOctaviaError(
      await create({ vip_subnet_id: 'x' }),
      400,
      "Invalid input for field/attribute vip_subnet_id. Value: 'x'. Value should be UUID format",
    );
    expectOctaviaError(
      await create({ vip_subnet_id: subnetId, vip_address: '10.1.2' }),
      400,
      "Invalid input for field/attribute vip_address. Value: '10.1.2'. Value should be IPv4 or IPv6 format",
    );
    const name = 'n'.repeat(256);
    expectOctaviaError(
      await create({ vip_subnet_id: subnetId, name }),
      400,
      `Invalid input for field/attribute name. Value: '${name}'. Value should have a maximum character requirement of 255`,
    );
    expectOctaviaError(await create({ vip_subnet_id: NO_SUCH_ID }), 400, `Subnet ${NO_SUCH_ID} not found.`);
    expectOctaviaError(await create({ vip_network_id: NO_SUCH_ID }), 400, `Network ${NO_SUCH_ID} not found.`);
    expectOctaviaError(await create({ vip_port_id: NO_SUCH_ID }), 400, `Port ${NO_SUCH_ID} not found.`);
    expectOctaviaError(
      await create({ vip_subnet_id: subnetId, provider: 'nonsense' }),
      400,
      "Provider 'nonsense' is not enabled.",
    );
    expectOctaviaError(
      await create({ vip_subnet_id: subnetId, flavor_id: NO_SUCH_ID }),
      400,
      'Validation failure: Invalid flavor_id.',
    );
    expectOctaviaError(
      await create({ vip_subnet_id: subnetId, availability_zone: 'nonsense' }),
      400,
      'Validation failure: Invalid availability zone.',
    );
    expectOctaviaError(
      await octavia.call('GET', `loadbalancers/${NO_SUCH_ID}`),
      404,
      `Load Balancer ${NO_SUCH_ID} not found.`,
    );
  });

  it('are forbidden to other projects, not hidden from them', async () => {
    const { other } = cloud();
    const octavia = new LoadBalancerCloud(cloud());
    const { id, ...shown } = await octavia.loadBalancer();
    const token = (await other?.session.token())?.id ?? '';
    const as = (method: string, path: string, body?: object) => octavia.call(method, path, body, { token });
    const message = 'Policy does not allow this request to be performed.';

    expectOctaviaError(await as('GET', `loadbalancers/${id}`), 403, message);
    expectOctaviaError(await as('DELETE', `loadbalancers/${id}`), 403, message);
    expectOctaviaError(await as('GET', `loadbalancers?project_id=${String(shown['project_id'])}`), 403, message);
    expectOctaviaError(
      await as('POST', 'listeners', { listener: { loadbalancer_id: id, protocol: 'TCP', protocol_port: 80 } }),
      403,
      message,
    );
    expect(JSON.stringify((await as('GET', 'loadbalancers')).json)).not.toContain(id);
  });
});

/** The service's path without the version that its client uses. */
function rootOf(endpoint: string): string {
  return new URL(endpoint).pathname.replace(/\/v2(\.0)?\/?$/, '').replace(/\/$/, '');
}
